--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: matchmaking; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA matchmaking;


--
-- Name: settlement; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA settlement;


--
-- Name: table; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA "table";


--
-- Name: entries_append_only(); Type: FUNCTION; Schema: settlement; Owner: -
--

CREATE FUNCTION settlement.entries_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'entries is append-only'; END $$;


--
-- Name: items_settled_once(); Type: FUNCTION; Schema: settlement; Owner: -
--

CREATE FUNCTION settlement.items_settled_once() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'a settled item never changes'; END $$;


--
-- Name: operator_actions_append_only(); Type: FUNCTION; Schema: settlement; Owner: -
--

CREATE FUNCTION settlement.operator_actions_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'operator_actions is append-only'; END $$;


--
-- Name: rating_changes_append_only(); Type: FUNCTION; Schema: settlement; Owner: -
--

CREATE FUNCTION settlement.rating_changes_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'rating_changes is append-only'; END $$;


--
-- Name: requests_append_only(); Type: FUNCTION; Schema: settlement; Owner: -
--

CREATE FUNCTION settlement.requests_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'requests is append-only'; END $$;


--
-- Name: transfers_append_only(); Type: FUNCTION; Schema: settlement; Owner: -
--

CREATE FUNCTION settlement.transfers_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'transfers is append-only'; END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: alembic_version; Type: TABLE; Schema: matchmaking; Owner: -
--

CREATE TABLE matchmaking.alembic_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: matches; Type: TABLE; Schema: matchmaking; Owner: -
--

CREATE TABLE matchmaking.matches (
    id character varying(64) NOT NULL,
    room character varying(80) NOT NULL,
    players integer NOT NULL,
    state character varying(16) NOT NULL,
    reason character varying(32) NOT NULL,
    created_at double precision NOT NULL,
    since double precision NOT NULL,
    next_at double precision NOT NULL,
    attempts integer NOT NULL,
    server character varying(255) NOT NULL,
    ended_at double precision,
    joins character varying(64) DEFAULT ''::character varying NOT NULL
);


--
-- Name: COLUMN matches.id; Type: COMMENT; Schema: matchmaking; Owner: -
--

COMMENT ON COLUMN matchmaking.matches.id IS 'also the table''s id';


--
-- Name: COLUMN matches.next_at; Type: COMMENT; Schema: matchmaking; Owner: -
--

COMMENT ON COLUMN matchmaking.matches.next_at IS 'when somebody should work on it; moved ahead by whoever does';


--
-- Name: COLUMN matches.joins; Type: COMMENT; Schema: matchmaking; Owner: -
--

COMMENT ON COLUMN matchmaking.matches.joins IS 'the table whose seat it takes';


--
-- Name: room_leases; Type: TABLE; Schema: matchmaking; Owner: -
--

CREATE TABLE matchmaking.room_leases (
    room character varying(80) NOT NULL,
    holder character varying(64) NOT NULL,
    until double precision NOT NULL
);


--
-- Name: tickets; Type: TABLE; Schema: matchmaking; Owner: -
--

CREATE TABLE matchmaking.tickets (
    id character varying(64) NOT NULL,
    player character varying(64) NOT NULL,
    room character varying(80) NOT NULL,
    request_key character varying(128),
    state character varying(16) NOT NULL,
    reason character varying(32) NOT NULL,
    created_at double precision NOT NULL,
    ready_at double precision NOT NULL,
    busy_since double precision,
    returns integer NOT NULL,
    match_id character varying(64),
    seat integer,
    ended_at double precision
);


--
-- Name: COLUMN tickets.request_key; Type: COMMENT; Schema: matchmaking; Owner: -
--

COMMENT ON COLUMN matchmaking.tickets.request_key IS 'the caller''s idempotency key';


--
-- Name: COLUMN tickets.ready_at; Type: COMMENT; Schema: matchmaking; Owner: -
--

COMMENT ON COLUMN matchmaking.tickets.ready_at IS 'not matched, or looked at as busy, before';


--
-- Name: COLUMN tickets.busy_since; Type: COMMENT; Schema: matchmaking; Owner: -
--

COMMENT ON COLUMN matchmaking.tickets.busy_since IS 'set: not matched until settlement says that the player is free';


--
-- Name: COLUMN tickets.returns; Type: COMMENT; Schema: matchmaking; Owner: -
--

COMMENT ON COLUMN matchmaking.tickets.returns IS 'matches that came to nothing through no fault of a player';


--
-- Name: accounts; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.accounts (
    name text NOT NULL,
    kind text NOT NULL,
    player text,
    balance bigint,
    CONSTRAINT balance_exact CHECK (((balance >= 0) AND (balance <= '9007199254740991'::bigint))),
    CONSTRAINT balance_kept CHECK (((balance IS NULL) = (kind = ANY (ARRAY['house'::text, 'outside'::text]))))
);


--
-- Name: alembic_version; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.alembic_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: attempts; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.attempts (
    table_id text NOT NULL,
    seq integer NOT NULL,
    count integer NOT NULL
);


--
-- Name: dead_letters; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.dead_letters (
    table_id text NOT NULL,
    seq integer NOT NULL,
    reason text NOT NULL,
    detail text NOT NULL,
    body text NOT NULL,
    times integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    resolution text NOT NULL
);


--
-- Name: entries; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.entries (
    id bigint NOT NULL,
    account text NOT NULL,
    coins bigint NOT NULL,
    balance_after bigint,
    player text,
    player_coins bigint NOT NULL
);


--
-- Name: holds; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.holds (
    match_id text NOT NULL,
    seat integer NOT NULL,
    table_id text NOT NULL,
    player text,
    account text NOT NULL,
    state text NOT NULL,
    stake bigint NOT NULL,
    returned bigint NOT NULL,
    pooled bigint NOT NULL,
    since integer NOT NULL,
    CONSTRAINT state_known CHECK ((state = ANY (ARRAY['held'::text, 'bound'::text, 'left'::text, 'closed'::text, 'void'::text])))
);


--
-- Name: items; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.items (
    table_id text NOT NULL,
    seq integer NOT NULL,
    kind text NOT NULL,
    body text NOT NULL,
    hash text NOT NULL,
    state text NOT NULL,
    outcome text,
    stored_at bigint NOT NULL,
    settled_at bigint,
    CONSTRAINT state_known CHECK ((state = ANY (ARRAY['stored'::text, 'applied'::text, 'refused'::text, 'void'::text])))
);


--
-- Name: operator_actions; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.operator_actions (
    id bigint NOT NULL,
    at bigint NOT NULL,
    action text NOT NULL,
    table_id text NOT NULL,
    seq integer NOT NULL,
    who text NOT NULL,
    why text NOT NULL
);


--
-- Name: operator_actions_id_seq; Type: SEQUENCE; Schema: settlement; Owner: -
--

CREATE SEQUENCE settlement.operator_actions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: operator_actions_id_seq; Type: SEQUENCE OWNED BY; Schema: settlement; Owner: -
--

ALTER SEQUENCE settlement.operator_actions_id_seq OWNED BY settlement.operator_actions.id;


--
-- Name: rating_changes; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.rating_changes (
    table_id text NOT NULL,
    seq integer NOT NULL,
    player text NOT NULL,
    game text NOT NULL,
    change bigint NOT NULL,
    at bigint NOT NULL
);


--
-- Name: ratings; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.ratings (
    player text NOT NULL,
    game text NOT NULL,
    points bigint NOT NULL
);


--
-- Name: requests; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.requests (
    key text NOT NULL,
    hash text NOT NULL,
    outcome text NOT NULL,
    wallet bigint NOT NULL,
    at bigint NOT NULL
);


--
-- Name: tables; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.tables (
    id text NOT NULL,
    state text NOT NULL,
    head integer NOT NULL,
    stuck text NOT NULL,
    created_at bigint NOT NULL,
    room_id text,
    game text,
    policy text,
    base bigint,
    entry bigint,
    needed bigint,
    lock bigint,
    rated boolean,
    CONSTRAINT state_known CHECK ((state = ANY (ARRAY['new'::text, 'held'::text, 'open'::text, 'closed'::text, 'void'::text, 'joined'::text])))
);


--
-- Name: transfer_ids; Type: SEQUENCE; Schema: settlement; Owner: -
--

CREATE SEQUENCE settlement.transfer_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: transfers; Type: TABLE; Schema: settlement; Owner: -
--

CREATE TABLE settlement.transfers (
    id bigint NOT NULL,
    at bigint NOT NULL,
    payer text NOT NULL,
    payee text NOT NULL,
    coins bigint NOT NULL,
    cause text NOT NULL,
    table_id text NOT NULL,
    seq integer NOT NULL,
    hand integer NOT NULL,
    multiple bigint NOT NULL,
    owed bigint NOT NULL,
    text text NOT NULL,
    CONSTRAINT coins_not_negative CHECK ((coins >= 0)),
    CONSTRAINT two_accounts CHECK ((payer <> payee))
);


--
-- Name: alembic_version; Type: TABLE; Schema: table; Owner: -
--

CREATE TABLE "table".alembic_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: journal; Type: TABLE; Schema: table; Owner: -
--

CREATE TABLE "table".journal (
    table_num bigint NOT NULL,
    seq bigint NOT NULL,
    epoch bigint NOT NULL,
    kind text NOT NULL,
    seat smallint NOT NULL,
    action_id bigint NOT NULL,
    auto smallint NOT NULL,
    body text NOT NULL,
    digest text
);


--
-- Name: outbox; Type: TABLE; Schema: table; Owner: -
--

CREATE TABLE "table".outbox (
    table_id text NOT NULL,
    seq bigint NOT NULL,
    body text NOT NULL,
    created_at double precision NOT NULL,
    attempts integer NOT NULL,
    next_at double precision NOT NULL,
    done boolean NOT NULL
);


--
-- Name: servers; Type: TABLE; Schema: table; Owner: -
--

CREATE TABLE "table".servers (
    name text NOT NULL,
    address text NOT NULL,
    generation bigint NOT NULL,
    capacity bigint NOT NULL,
    load bigint NOT NULL,
    lease_until double precision NOT NULL
);


--
-- Name: tables; Type: TABLE; Schema: table; Owner: -
--

CREATE TABLE "table".tables (
    num bigint NOT NULL,
    id text NOT NULL,
    room text NOT NULL,
    owner text NOT NULL,
    generation bigint NOT NULL,
    epoch bigint NOT NULL,
    state text NOT NULL,
    opened_at double precision NOT NULL,
    request text NOT NULL
);


--
-- Name: tables_num_seq; Type: SEQUENCE; Schema: table; Owner: -
--

CREATE SEQUENCE "table".tables_num_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: tables_num_seq; Type: SEQUENCE OWNED BY; Schema: table; Owner: -
--

ALTER SEQUENCE "table".tables_num_seq OWNED BY "table".tables.num;


--
-- Name: operator_actions id; Type: DEFAULT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.operator_actions ALTER COLUMN id SET DEFAULT nextval('settlement.operator_actions_id_seq'::regclass);


--
-- Name: tables num; Type: DEFAULT; Schema: table; Owner: -
--

ALTER TABLE ONLY "table".tables ALTER COLUMN num SET DEFAULT nextval('"table".tables_num_seq'::regclass);


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: matchmaking; Owner: -
--

INSERT INTO matchmaking.alembic_version VALUES
	('0002');


--
-- Data for Name: matches; Type: TABLE DATA; Schema: matchmaking; Owner: -
--

INSERT INTO matchmaking.matches VALUES
	('1a22dd3ecbad0e9230662b7', 'happy_sichuan/open', 4, 'over', '', 1796065193.1467268, 1796065194.2181718, 1796065204.2181718, 0, '127.0.0.1:27174', 1796065194.2181718, ''),
	('1a22dd3ecba6ddb48d2e5ee', 'crazy_duel/rating', 2, 'over', '', 1796065193.1467268, 1796065194.2237535, 1796065204.2237535, 0, '127.0.0.1:27174', 1796065194.2237535, ''),
	('1a22dd3ecbaca468ea67149', 'crazy_xuezhan/mayou', 4, 'over', '', 1796065193.1467268, 1796065194.4776928, 1796065204.4776928, 0, '127.0.0.1:27174', 1796065194.4776928, ''),
	('1a22dd3ecba55a4867f219a', 'kaxinwu/coins', 4, 'over', '', 1796065193.1467268, 1796065194.4795117, 1796065204.4795117, 0, '127.0.0.1:27174', 1796065194.4795117, ''),
	('1a22dd3f57eefab8b6f72bd', 'happy_sichuan/open', 4, 'seated', '', 1796065195.390313, 1796065195.4635632, 1796065201.6092448, 1, '127.0.0.1:27174', NULL, ''),
	('1a22dd3f5400aeb23c7a4d1', 'crazy_xuezhan/mayou', 4, 'seated', '', 1796065195.3284986, 1796065195.4116387, 1796065214.4484885, 2, '127.0.0.1:27174', NULL, ''),
	('1a22dd3f4f497684824ae2f', 'happy_sichuan/open', 4, 'seated', '', 1796065195.2523654, 1796065195.334955, 1796065214.5350633, 2, '127.0.0.1:27174', NULL, ''),
	('1a22dd3f57e03cad8e295fd', 'crazy_duel/rating', 2, 'seated', '', 1796065195.390313, 1796065195.4591758, 1796065216.3910642, 2, '127.0.0.1:27174', NULL, ''),
	('1a22dd3f54090bfb85ae689', 'kaxinwu/coins', 4, 'seated', '', 1796065195.3284986, 1796065195.417285, 1796065219.3027925, 2, '127.0.0.1:27174', NULL, ''),
	('1a22dd3f51f8ac6363a0ca5', 'crazy_xuezhan/mayou', 4, 'seated', '', 1796065195.2959414, 1796065195.4023528, 1796065218.895282, 2, '127.0.0.1:27174', NULL, ''),
	('1a22dd3f540112f1b4b384a', 'crazy_duel/rating', 2, 'seated', '', 1796065195.3284986, 1796065195.445342, 1796065218.7739522, 2, '127.0.0.1:27174', NULL, ''),
	('1a22dd3f57e03cf2559d386', 'kaxinwu/coins', 4, 'seated', '', 1796065195.390313, 1796065195.4634185, 1796065219.3421552, 2, '127.0.0.1:27174', NULL, '');


--
-- Data for Name: room_leases; Type: TABLE DATA; Schema: matchmaking; Owner: -
--

INSERT INTO matchmaking.room_leases VALUES
	('kaxinwu/coins', '47412ea1c8099fb6', 1796065198.0990322),
	('crazy_duel/rating', '47412ea1c8099fb6', 1796065198.124744),
	('crazy_xuezhan/mayou', '47412ea1c8099fb6', 1796065198.124744),
	('happy_sichuan/open', '47412ea1c8099fb6', 1796065198.124744);


--
-- Data for Name: tickets; Type: TABLE DATA; Schema: matchmaking; Owner: -
--

INSERT INTO matchmaking.tickets VALUES
	('tc24fa6a72a13b10610d70e610596e600', 'load-done-happy_sichuan-0', 'happy_sichuan/open', 'load-done-happy_sichuan-0-1-8c24a1a0', 'over', '', 1796065193.1091478, 1796065193.1091478, NULL, 0, '1a22dd3ecbad0e9230662b7', 0, 1796065194.2181718),
	('t319a6047fcb6ee4836089db10aa4a8bd', 'load-done-happy_sichuan-3', 'happy_sichuan/open', 'load-done-happy_sichuan-3-1-b6f99589', 'over', '', 1796065193.1178713, 1796065193.1178713, NULL, 0, '1a22dd3ecbad0e9230662b7', 1, 1796065194.2181718),
	('tc0b98abbbdb2a94f670022cb8d867f97', 'load-done-happy_sichuan-2', 'happy_sichuan/open', 'load-done-happy_sichuan-2-1-d7aaffc8', 'over', '', 1796065193.1187031, 1796065193.1187031, NULL, 0, '1a22dd3ecbad0e9230662b7', 2, 1796065194.2181718),
	('te0ff87d9a4123502eccd6280bdd403c1', 'load-done-happy_sichuan-1', 'happy_sichuan/open', 'load-done-happy_sichuan-1-1-7d16b9a6', 'over', '', 1796065193.1288106, 1796065193.1288106, NULL, 0, '1a22dd3ecbad0e9230662b7', 3, 1796065194.2181718),
	('te4f6a7bb1b112b17fd4a21d88441941b', 'load-done-crazy_duel-1', 'crazy_duel/rating', 'load-done-crazy_duel-1-1-e58c1a49', 'over', '', 1796065193.1001296, 1796065193.1001296, NULL, 0, '1a22dd3ecba6ddb48d2e5ee', 0, 1796065194.2237535),
	('te003f48d416eaab5f7207b33c5e5386d', 'load-done-crazy_duel-0', 'crazy_duel/rating', 'load-done-crazy_duel-0-1-c261fb5a', 'over', '', 1796065193.1336436, 1796065193.1336436, NULL, 0, '1a22dd3ecba6ddb48d2e5ee', 1, 1796065194.2237535),
	('t0d2ccdec3778cd91ea60d32833ffbc32', 'load-done-kaxinwu-1', 'kaxinwu/coins', 'load-done-kaxinwu-1-1-5f5ae8ed', 'over', '', 1796065193.0869105, 1796065193.0869105, NULL, 0, '1a22dd3ecba55a4867f219a', 0, 1796065194.4795117),
	('tee1abc17eb1d39994a936142b3198007', 'load-done-kaxinwu-3', 'kaxinwu/coins', 'load-done-kaxinwu-3-1-5bbe5124', 'over', '', 1796065193.0976942, 1796065193.0976942, NULL, 0, '1a22dd3ecba55a4867f219a', 1, 1796065194.4795117),
	('te59bd005f56e6a862b2e13702abba903', 'load-done-kaxinwu-0', 'kaxinwu/coins', 'load-done-kaxinwu-0-1-c11651bf', 'over', '', 1796065193.1078658, 1796065193.1078658, NULL, 0, '1a22dd3ecba55a4867f219a', 2, 1796065194.4795117),
	('t9a6e89caa5c8c868b72e86840be119e2', 'load-done-kaxinwu-2', 'kaxinwu/coins', 'load-done-kaxinwu-2-1-cac8a0aa', 'over', '', 1796065193.1464238, 1796065193.1464238, NULL, 0, '1a22dd3ecba55a4867f219a', 3, 1796065194.4795117),
	('t323142380cc3b786b7e995c87e2a479a', 'load-done-crazy_xuezhan-0', 'crazy_xuezhan/mayou', 'load-done-crazy_xuezhan-0-1-cbddf777', 'over', '', 1796065193.1187527, 1796065193.1187527, NULL, 0, '1a22dd3ecbaca468ea67149', 0, 1796065194.4776928),
	('tf3c68814cbff671248c3f6a117d9a06f', 'load-done-crazy_xuezhan-3', 'crazy_xuezhan/mayou', 'load-done-crazy_xuezhan-3-1-61cb3bdb', 'over', '', 1796065193.1187983, 1796065193.1187983, NULL, 0, '1a22dd3ecbaca468ea67149', 1, 1796065194.4776928),
	('t08ed66e3496fcb0483786ca2a7793573', 'load-done-crazy_xuezhan-1', 'crazy_xuezhan/mayou', 'load-done-crazy_xuezhan-1-1-aeb1d616', 'over', '', 1796065193.1228008, 1796065193.1228008, NULL, 0, '1a22dd3ecbaca468ea67149', 2, 1796065194.4776928),
	('ta93d02b3e712f3b643ea8ca9efedc98c', 'load-done-crazy_xuezhan-2', 'crazy_xuezhan/mayou', 'load-done-crazy_xuezhan-2-1-fdf9ad8d', 'over', '', 1796065193.1463587, 1796065193.1463587, NULL, 0, '1a22dd3ecbaca468ea67149', 3, 1796065194.4776928),
	('t416998bdb5358bab32eec79c43988cee', 'load-live-happy_sichuan-2', 'happy_sichuan/open', 'load-live-happy_sichuan-2-1-7e2f885c', 'seated', '', 1796065195.237119, 1796065195.237119, NULL, 0, '1a22dd3f4f497684824ae2f', 0, NULL),
	('t668afba4cb4877d1ea8e59e4cc1ebb1b', 'load-live-crazy_xuezhan-7', 'crazy_xuezhan/mayou', 'load-live-crazy_xuezhan-7-1-c7c66665', 'seated', '', 1796065195.2507179, 1796065195.2507179, NULL, 0, '1a22dd3f51f8ac6363a0ca5', 0, NULL),
	('t45065e96ce67b757b32fb3f9400a517e', 'load-live-crazy_xuezhan-4', 'crazy_xuezhan/mayou', 'load-live-crazy_xuezhan-4-1-a772d70c', 'seated', '', 1796065195.2675538, 1796065195.2675538, NULL, 0, '1a22dd3f51f8ac6363a0ca5', 1, NULL),
	('t7108428cb5f1184a64f2fffc1c5846e6', 'load-live-crazy_xuezhan-1', 'crazy_xuezhan/mayou', 'load-live-crazy_xuezhan-1-1-ff3280d8', 'seated', '', 1796065195.2790463, 1796065195.2790463, NULL, 0, '1a22dd3f51f8ac6363a0ca5', 2, NULL),
	('t1140aa7550a01af1d4306160edee154a', 'load-live-crazy_xuezhan-6', 'crazy_xuezhan/mayou', 'load-live-crazy_xuezhan-6-1-6f17bba2', 'seated', '', 1796065195.2862954, 1796065195.2862954, NULL, 0, '1a22dd3f5400aeb23c7a4d1', 0, NULL),
	('t09eef25bf482b5ef25e82bf774f6b277', 'load-live-kaxinwu-3', 'kaxinwu/coins', 'load-live-kaxinwu-3-1-cf67869c', 'seated', '', 1796065195.2476208, 1796065195.2476208, NULL, 0, '1a22dd3f54090bfb85ae689', 0, NULL),
	('t2cc110416dc1f0744a2039c77a41f987', 'load-live-kaxinwu-2', 'kaxinwu/coins', 'load-live-kaxinwu-2-1-2d5abae2', 'seated', '', 1796065195.2675276, 1796065195.2675276, NULL, 0, '1a22dd3f54090bfb85ae689', 1, NULL),
	('te88b04fc00e00ede44db1660e8420aa9', 'load-live-kaxinwu-6', 'kaxinwu/coins', 'load-live-kaxinwu-6-1-7a2034eb', 'seated', '', 1796065195.2930973, 1796065195.2930973, NULL, 0, '1a22dd3f54090bfb85ae689', 2, NULL),
	('t19d9a2525f4427cc92ea9327ca26f699', 'load-live-kaxinwu-4', 'kaxinwu/coins', 'load-live-kaxinwu-4-1-e75aefbc', 'seated', '', 1796065195.3056297, 1796065195.3056297, NULL, 0, '1a22dd3f54090bfb85ae689', 3, NULL),
	('td04aaf5dcbdca246c1faafad8ae88b55', 'load-live-crazy_duel-0', 'crazy_duel/rating', 'load-live-crazy_duel-0-1-e059a244', 'seated', '', 1796065195.2674644, 1796065195.2674644, NULL, 0, '1a22dd3f540112f1b4b384a', 0, NULL),
	('t27ba54351238e2d0a71b22739135c5fe', 'load-live-crazy_duel-2', 'crazy_duel/rating', 'load-live-crazy_duel-2-1-b4521ec6', 'seated', '', 1796065195.3110569, 1796065195.3110569, NULL, 0, '1a22dd3f540112f1b4b384a', 1, NULL),
	('t7b35e3012e1448d3aa32036acce06570', 'load-live-happy_sichuan-1', 'happy_sichuan/open', 'load-live-happy_sichuan-1-1-68adeb47', 'seated', '', 1796065195.2557428, 1796065195.2557428, NULL, 0, '1a22dd3f57eefab8b6f72bd', 0, NULL),
	('t00c9d4f8d8eccd116ba35cedc7535237', 'load-live-happy_sichuan-4', 'happy_sichuan/open', 'load-live-happy_sichuan-4-1-7e6879a8', 'seated', '', 1796065195.2790992, 1796065195.2790992, NULL, 0, '1a22dd3f57eefab8b6f72bd', 1, NULL),
	('t35b0ff88538a144de4725405d6897767', 'load-live-happy_sichuan-6', 'happy_sichuan/open', 'load-live-happy_sichuan-6-1-07df6638', 'seated', '', 1796065195.323642, 1796065195.323642, NULL, 0, '1a22dd3f57eefab8b6f72bd', 2, NULL),
	('td6dafc33ae45527fda95c080d2ff447c', 'load-live-happy_sichuan-7', 'happy_sichuan/open', 'load-live-happy_sichuan-7-1-c30f16cd', 'seated', '', 1796065195.343452, 1796065195.343452, NULL, 0, '1a22dd3f57eefab8b6f72bd', 3, NULL),
	('tdc1f8123ee3cc2c8f4360017a58c8552', 'load-live-kaxinwu-0', 'kaxinwu/coins', 'load-live-kaxinwu-0-1-608b047e', 'seated', '', 1796065195.3170438, 1796065195.3170438, NULL, 0, '1a22dd3f57e03cf2559d386', 0, NULL),
	('ta761afab020099e42e12882256e407dd', 'load-live-happy_sichuan-5', 'happy_sichuan/open', 'load-live-happy_sichuan-5-1-ef81a838', 'seated', '', 1796065195.2371826, 1796065195.2371826, NULL, 0, '1a22dd3f4f497684824ae2f', 1, NULL),
	('t28847445a20c145afec04c8346841ccf', 'load-live-happy_sichuan-0', 'happy_sichuan/open', 'load-live-happy_sichuan-0-1-42dbc66a', 'seated', '', 1796065195.239445, 1796065195.239445, NULL, 0, '1a22dd3f4f497684824ae2f', 2, NULL),
	('t9a0d2e287b225c594230da765f1b7696', 'load-live-happy_sichuan-3', 'happy_sichuan/open', 'load-live-happy_sichuan-3-1-ccf559d8', 'seated', '', 1796065195.2471488, 1796065195.2471488, NULL, 0, '1a22dd3f4f497684824ae2f', 3, NULL),
	('tbb59c627ad896b591cc0104f9f88f12c', 'load-live-crazy_duel-3', 'crazy_duel/rating', 'load-live-crazy_duel-3-1-1a41691f', 'seated', '', 1796065195.3244643, 1796065195.3244643, NULL, 0, '1a22dd3f57e03cad8e295fd', 0, NULL),
	('tc49695075456e1329630f20a7cde9149', 'load-live-crazy_duel-1', 'crazy_duel/rating', 'load-live-crazy_duel-1-1-a13e55a7', 'seated', '', 1796065195.3434873, 1796065195.3434873, NULL, 0, '1a22dd3f57e03cad8e295fd', 1, NULL),
	('tc373e901be25fe8af739c685fa268448', 'load-live-crazy_xuezhan-2', 'crazy_xuezhan/mayou', 'load-live-crazy_xuezhan-2-1-dc948c32', 'seated', '', 1796065195.2791371, 1796065195.2791371, NULL, 0, '1a22dd3f51f8ac6363a0ca5', 3, NULL),
	('t307ae19a0c90d4884ff1f2369ce4881a', 'load-live-crazy_xuezhan-5', 'crazy_xuezhan/mayou', 'load-live-crazy_xuezhan-5-1-54875735', 'seated', '', 1796065195.2888448, 1796065195.2888448, NULL, 0, '1a22dd3f5400aeb23c7a4d1', 1, NULL),
	('tdc8f68310a05d3704499b4d0822d03f4', 'load-live-crazy_xuezhan-3', 'crazy_xuezhan/mayou', 'load-live-crazy_xuezhan-3-1-6feb7706', 'seated', '', 1796065195.297468, 1796065195.297468, NULL, 0, '1a22dd3f5400aeb23c7a4d1', 2, NULL),
	('t232945211ce307162b6a45411ac4b49e', 'load-live-crazy_xuezhan-0', 'crazy_xuezhan/mayou', 'load-live-crazy_xuezhan-0-1-bd6391c3', 'seated', '', 1796065195.3077338, 1796065195.3077338, NULL, 0, '1a22dd3f5400aeb23c7a4d1', 3, NULL),
	('t725701c6fe6b7831e92a135443b1e557', 'load-live-kaxinwu-7', 'kaxinwu/coins', 'load-live-kaxinwu-7-1-f1158f68', 'seated', '', 1796065195.3200119, 1796065195.3200119, NULL, 0, '1a22dd3f57e03cf2559d386', 1, NULL),
	('tfe7d3be1f97af3f9affed5c3d5787299', 'load-live-kaxinwu-1', 'kaxinwu/coins', 'load-live-kaxinwu-1-1-d5105c7c', 'seated', '', 1796065195.3360527, 1796065195.3360527, NULL, 0, '1a22dd3f57e03cf2559d386', 2, NULL),
	('t50b404a8ea307ff8878e8072598b6cfe', 'load-live-kaxinwu-5', 'kaxinwu/coins', 'load-live-kaxinwu-5-1-cd62cf5a', 'seated', '', 1796065195.3433635, 1796065195.3433635, NULL, 0, '1a22dd3f57e03cf2559d386', 3, NULL);


--
-- Data for Name: accounts; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.accounts VALUES
	('outside', 'outside', NULL, NULL),
	('house:bots', 'house', NULL, NULL),
	('wallet:load-done-crazy_duel-1', 'wallet', 'load-done-crazy_duel-1', 1000000),
	('wallet:load-done-crazy_duel-0', 'wallet', 'load-done-crazy_duel-0', 1000000),
	('escrow:1a22dd3ecba6ddb48d2e5ee:0', 'escrow', 'load-done-crazy_duel-1', 0),
	('escrow:1a22dd3ecba6ddb48d2e5ee:1', 'escrow', 'load-done-crazy_duel-0', 0),
	('escrow:1a22dd3ecba55a4867f219a:2', 'escrow', 'load-done-kaxinwu-0', 0),
	('escrow:1a22dd3ecba55a4867f219a:3', 'escrow', 'load-done-kaxinwu-2', 0),
	('wallet:load-done-kaxinwu-0', 'wallet', 'load-done-kaxinwu-0', 1000160),
	('wallet:load-done-kaxinwu-2', 'wallet', 'load-done-kaxinwu-2', 999880),
	('wallet:load-done-kaxinwu-1', 'wallet', 'load-done-kaxinwu-1', 1000120),
	('wallet:load-done-kaxinwu-3', 'wallet', 'load-done-kaxinwu-3', 999840),
	('escrow:1a22dd3ecba55a4867f219a:0', 'escrow', 'load-done-kaxinwu-1', 0),
	('escrow:1a22dd3ecba55a4867f219a:1', 'escrow', 'load-done-kaxinwu-3', 0),
	('wallet:load-done-crazy_xuezhan-2', 'wallet', 'load-done-crazy_xuezhan-2', 998990),
	('wallet:load-done-crazy_xuezhan-3', 'wallet', 'load-done-crazy_xuezhan-3', 1003000),
	('wallet:load-done-crazy_xuezhan-1', 'wallet', 'load-done-crazy_xuezhan-1', 999009),
	('wallet:load-done-crazy_xuezhan-0', 'wallet', 'load-done-crazy_xuezhan-0', 999001),
	('escrow:1a22dd3ecbaca468ea67149:0', 'escrow', 'load-done-crazy_xuezhan-0', 0),
	('escrow:1a22dd3ecbaca468ea67149:1', 'escrow', 'load-done-crazy_xuezhan-3', 0),
	('escrow:1a22dd3ecbaca468ea67149:2', 'escrow', 'load-done-crazy_xuezhan-1', 0),
	('escrow:1a22dd3ecbaca468ea67149:3', 'escrow', 'load-done-crazy_xuezhan-2', 0),
	('pool:1a22dd3ecbad0e9230662b7', 'pool', NULL, 0),
	('escrow:1a22dd3ecbad0e9230662b7:0', 'escrow', 'load-done-happy_sichuan-0', 0),
	('escrow:1a22dd3ecbad0e9230662b7:1', 'escrow', 'load-done-happy_sichuan-3', 0),
	('escrow:1a22dd3ecbad0e9230662b7:2', 'escrow', 'load-done-happy_sichuan-2', 0),
	('escrow:1a22dd3ecbad0e9230662b7:3', 'escrow', 'load-done-happy_sichuan-1', 0),
	('wallet:load-done-happy_sichuan-0', 'wallet', 'load-done-happy_sichuan-0', 1000012),
	('wallet:load-done-happy_sichuan-1', 'wallet', 'load-done-happy_sichuan-1', 1000012),
	('wallet:load-done-happy_sichuan-2', 'wallet', 'load-done-happy_sichuan-2', 999982),
	('wallet:load-done-happy_sichuan-3', 'wallet', 'load-done-happy_sichuan-3', 999994),
	('wallet:load-live-crazy_duel-1', 'wallet', 'load-live-crazy_duel-1', 1000000),
	('wallet:load-live-crazy_duel-0', 'wallet', 'load-live-crazy_duel-0', 1000000),
	('wallet:load-live-crazy_duel-2', 'wallet', 'load-live-crazy_duel-2', 1000000),
	('wallet:load-live-crazy_duel-3', 'wallet', 'load-live-crazy_duel-3', 1000000),
	('escrow:1a22dd3f4f497684824ae2f:0', 'escrow', 'load-live-happy_sichuan-2', 1000000),
	('escrow:1a22dd3f4f497684824ae2f:1', 'escrow', 'load-live-happy_sichuan-5', 1000000),
	('escrow:1a22dd3f4f497684824ae2f:2', 'escrow', 'load-live-happy_sichuan-0', 1000000),
	('escrow:1a22dd3f4f497684824ae2f:3', 'escrow', 'load-live-happy_sichuan-3', 1000000),
	('wallet:load-live-happy_sichuan-0', 'wallet', 'load-live-happy_sichuan-0', 0),
	('wallet:load-live-happy_sichuan-2', 'wallet', 'load-live-happy_sichuan-2', 0),
	('wallet:load-live-happy_sichuan-3', 'wallet', 'load-live-happy_sichuan-3', 0),
	('wallet:load-live-happy_sichuan-5', 'wallet', 'load-live-happy_sichuan-5', 0),
	('escrow:1a22dd3f51f8ac6363a0ca5:0', 'escrow', 'load-live-crazy_xuezhan-7', 1000000),
	('escrow:1a22dd3f51f8ac6363a0ca5:1', 'escrow', 'load-live-crazy_xuezhan-4', 1000000),
	('escrow:1a22dd3f51f8ac6363a0ca5:2', 'escrow', 'load-live-crazy_xuezhan-1', 1000000),
	('escrow:1a22dd3f51f8ac6363a0ca5:3', 'escrow', 'load-live-crazy_xuezhan-2', 1000000),
	('wallet:load-live-crazy_xuezhan-4', 'wallet', 'load-live-crazy_xuezhan-4', 0),
	('wallet:load-live-crazy_xuezhan-1', 'wallet', 'load-live-crazy_xuezhan-1', 0),
	('wallet:load-live-crazy_xuezhan-2', 'wallet', 'load-live-crazy_xuezhan-2', 0),
	('wallet:load-live-crazy_xuezhan-7', 'wallet', 'load-live-crazy_xuezhan-7', 0),
	('escrow:1a22dd3f5400aeb23c7a4d1:0', 'escrow', 'load-live-crazy_xuezhan-6', 1000000),
	('escrow:1a22dd3f5400aeb23c7a4d1:1', 'escrow', 'load-live-crazy_xuezhan-5', 1000000),
	('escrow:1a22dd3f5400aeb23c7a4d1:2', 'escrow', 'load-live-crazy_xuezhan-3', 1000000),
	('escrow:1a22dd3f5400aeb23c7a4d1:3', 'escrow', 'load-live-crazy_xuezhan-0', 1000000),
	('wallet:load-live-crazy_xuezhan-3', 'wallet', 'load-live-crazy_xuezhan-3', 0),
	('wallet:load-live-crazy_xuezhan-5', 'wallet', 'load-live-crazy_xuezhan-5', 0),
	('wallet:load-live-crazy_xuezhan-0', 'wallet', 'load-live-crazy_xuezhan-0', 0),
	('wallet:load-live-crazy_xuezhan-6', 'wallet', 'load-live-crazy_xuezhan-6', 0),
	('escrow:1a22dd3f54090bfb85ae689:0', 'escrow', 'load-live-kaxinwu-3', 1000000),
	('escrow:1a22dd3f540112f1b4b384a:0', 'escrow', 'load-live-crazy_duel-0', 0),
	('escrow:1a22dd3f540112f1b4b384a:1', 'escrow', 'load-live-crazy_duel-2', 0),
	('escrow:1a22dd3f57e03cad8e295fd:0', 'escrow', 'load-live-crazy_duel-3', 0),
	('escrow:1a22dd3f57e03cad8e295fd:1', 'escrow', 'load-live-crazy_duel-1', 0),
	('escrow:1a22dd3f57eefab8b6f72bd:0', 'escrow', 'load-live-happy_sichuan-1', 1000000),
	('escrow:1a22dd3f57eefab8b6f72bd:1', 'escrow', 'load-live-happy_sichuan-4', 1000000),
	('escrow:1a22dd3f57eefab8b6f72bd:2', 'escrow', 'load-live-happy_sichuan-6', 1000000),
	('escrow:1a22dd3f54090bfb85ae689:1', 'escrow', 'load-live-kaxinwu-2', 1000000),
	('escrow:1a22dd3f54090bfb85ae689:2', 'escrow', 'load-live-kaxinwu-6', 1000000),
	('escrow:1a22dd3f54090bfb85ae689:3', 'escrow', 'load-live-kaxinwu-4', 1000000),
	('wallet:load-live-kaxinwu-2', 'wallet', 'load-live-kaxinwu-2', 0),
	('wallet:load-live-kaxinwu-4', 'wallet', 'load-live-kaxinwu-4', 0),
	('wallet:load-live-kaxinwu-3', 'wallet', 'load-live-kaxinwu-3', 0),
	('wallet:load-live-kaxinwu-6', 'wallet', 'load-live-kaxinwu-6', 0),
	('escrow:1a22dd3f57e03cf2559d386:0', 'escrow', 'load-live-kaxinwu-0', 1000000),
	('escrow:1a22dd3f57e03cf2559d386:1', 'escrow', 'load-live-kaxinwu-7', 1000000),
	('escrow:1a22dd3f57e03cf2559d386:2', 'escrow', 'load-live-kaxinwu-1', 1000000),
	('escrow:1a22dd3f57e03cf2559d386:3', 'escrow', 'load-live-kaxinwu-5', 1000000),
	('wallet:load-live-kaxinwu-0', 'wallet', 'load-live-kaxinwu-0', 0),
	('wallet:load-live-kaxinwu-1', 'wallet', 'load-live-kaxinwu-1', 0),
	('wallet:load-live-kaxinwu-5', 'wallet', 'load-live-kaxinwu-5', 0),
	('wallet:load-live-kaxinwu-7', 'wallet', 'load-live-kaxinwu-7', 0),
	('escrow:1a22dd3f57eefab8b6f72bd:3', 'escrow', 'load-live-happy_sichuan-7', 1000000),
	('wallet:load-live-happy_sichuan-4', 'wallet', 'load-live-happy_sichuan-4', 0),
	('wallet:load-live-happy_sichuan-1', 'wallet', 'load-live-happy_sichuan-1', 0),
	('wallet:load-live-happy_sichuan-6', 'wallet', 'load-live-happy_sichuan-6', 0),
	('wallet:load-live-happy_sichuan-7', 'wallet', 'load-live-happy_sichuan-7', 0);


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.alembic_version VALUES
	('0001');


--
-- Data for Name: attempts; Type: TABLE DATA; Schema: settlement; Owner: -
--



--
-- Data for Name: dead_letters; Type: TABLE DATA; Schema: settlement; Owner: -
--



--
-- Data for Name: entries; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.entries VALUES
	(2, 'outside', -1000000, NULL, NULL, 0),
	(3, 'wallet:load-done-crazy_xuezhan-2', 1000000, 1000000, 'load-done-crazy_xuezhan-2', 1000000),
	(4, 'outside', -1000000, NULL, NULL, 0),
	(5, 'wallet:load-done-crazy_xuezhan-3', 1000000, 1000000, 'load-done-crazy_xuezhan-3', 1000000),
	(8, 'outside', -1000000, NULL, NULL, 0),
	(9, 'wallet:load-done-crazy_xuezhan-1', 1000000, 1000000, 'load-done-crazy_xuezhan-1', 1000000),
	(6, 'outside', -1000000, NULL, NULL, 0),
	(7, 'wallet:load-done-crazy_xuezhan-0', 1000000, 1000000, 'load-done-crazy_xuezhan-0', 1000000),
	(12, 'outside', -1000000, NULL, NULL, 0),
	(13, 'wallet:load-done-happy_sichuan-1', 1000000, 1000000, 'load-done-happy_sichuan-1', 1000000),
	(10, 'outside', -1000000, NULL, NULL, 0),
	(11, 'wallet:load-done-happy_sichuan-0', 1000000, 1000000, 'load-done-happy_sichuan-0', 1000000),
	(16, 'outside', -1000000, NULL, NULL, 0),
	(17, 'wallet:load-done-happy_sichuan-3', 1000000, 1000000, 'load-done-happy_sichuan-3', 1000000),
	(14, 'outside', -1000000, NULL, NULL, 0),
	(15, 'wallet:load-done-happy_sichuan-2', 1000000, 1000000, 'load-done-happy_sichuan-2', 1000000),
	(18, 'outside', -1000000, NULL, NULL, 0),
	(19, 'wallet:load-done-kaxinwu-0', 1000000, 1000000, 'load-done-kaxinwu-0', 1000000),
	(20, 'outside', -1000000, NULL, NULL, 0),
	(21, 'wallet:load-done-kaxinwu-2', 1000000, 1000000, 'load-done-kaxinwu-2', 1000000),
	(22, 'outside', -1000000, NULL, NULL, 0),
	(23, 'wallet:load-done-kaxinwu-1', 1000000, 1000000, 'load-done-kaxinwu-1', 1000000),
	(24, 'outside', -1000000, NULL, NULL, 0),
	(25, 'wallet:load-done-kaxinwu-3', 1000000, 1000000, 'load-done-kaxinwu-3', 1000000),
	(26, 'outside', -1000000, NULL, NULL, 0),
	(27, 'wallet:load-done-crazy_duel-1', 1000000, 1000000, 'load-done-crazy_duel-1', 1000000),
	(28, 'outside', -1000000, NULL, NULL, 0),
	(29, 'wallet:load-done-crazy_duel-0', 1000000, 1000000, 'load-done-crazy_duel-0', 1000000),
	(30, 'wallet:load-done-crazy_duel-1', 0, 1000000, 'load-done-crazy_duel-1', 0),
	(31, 'escrow:1a22dd3ecba6ddb48d2e5ee:0', 0, 0, NULL, 0),
	(32, 'wallet:load-done-crazy_duel-0', 0, 1000000, 'load-done-crazy_duel-0', 0),
	(33, 'escrow:1a22dd3ecba6ddb48d2e5ee:1', 0, 0, NULL, 0),
	(34, 'wallet:load-done-crazy_xuezhan-0', -1000000, 0, 'load-done-crazy_xuezhan-0', 0),
	(35, 'escrow:1a22dd3ecbaca468ea67149:0', 1000000, 1000000, NULL, 0),
	(36, 'wallet:load-done-crazy_xuezhan-3', -1000000, 0, 'load-done-crazy_xuezhan-3', 0),
	(37, 'escrow:1a22dd3ecbaca468ea67149:1', 1000000, 1000000, NULL, 0),
	(38, 'wallet:load-done-crazy_xuezhan-1', -1000000, 0, 'load-done-crazy_xuezhan-1', 0),
	(39, 'escrow:1a22dd3ecbaca468ea67149:2', 1000000, 1000000, NULL, 0),
	(40, 'wallet:load-done-crazy_xuezhan-2', -1000000, 0, 'load-done-crazy_xuezhan-2', 0),
	(41, 'escrow:1a22dd3ecbaca468ea67149:3', 1000000, 1000000, NULL, 0),
	(50, 'wallet:load-done-kaxinwu-1', -1000000, 0, 'load-done-kaxinwu-1', 0),
	(51, 'escrow:1a22dd3ecba55a4867f219a:0', 1000000, 1000000, NULL, 0),
	(52, 'wallet:load-done-kaxinwu-3', -1000000, 0, 'load-done-kaxinwu-3', 0),
	(53, 'escrow:1a22dd3ecba55a4867f219a:1', 1000000, 1000000, NULL, 0),
	(54, 'wallet:load-done-kaxinwu-0', -1000000, 0, 'load-done-kaxinwu-0', 0),
	(55, 'escrow:1a22dd3ecba55a4867f219a:2', 1000000, 1000000, NULL, 0),
	(56, 'wallet:load-done-kaxinwu-2', -1000000, 0, 'load-done-kaxinwu-2', 0),
	(57, 'escrow:1a22dd3ecba55a4867f219a:3', 1000000, 1000000, NULL, 0),
	(42, 'wallet:load-done-happy_sichuan-0', -1000000, 0, 'load-done-happy_sichuan-0', 0),
	(43, 'escrow:1a22dd3ecbad0e9230662b7:0', 1000000, 1000000, NULL, 0),
	(44, 'wallet:load-done-happy_sichuan-3', -1000000, 0, 'load-done-happy_sichuan-3', 0),
	(45, 'escrow:1a22dd3ecbad0e9230662b7:1', 1000000, 1000000, NULL, 0),
	(46, 'wallet:load-done-happy_sichuan-2', -1000000, 0, 'load-done-happy_sichuan-2', 0),
	(47, 'escrow:1a22dd3ecbad0e9230662b7:2', 1000000, 1000000, NULL, 0),
	(48, 'wallet:load-done-happy_sichuan-1', -1000000, 0, 'load-done-happy_sichuan-1', 0),
	(49, 'escrow:1a22dd3ecbad0e9230662b7:3', 1000000, 1000000, NULL, 0),
	(58, 'escrow:1a22dd3ecba55a4867f219a:1', -40, 999960, 'load-done-kaxinwu-3', -40),
	(59, 'escrow:1a22dd3ecba55a4867f219a:0', 40, 1000040, 'load-done-kaxinwu-1', 40),
	(60, 'escrow:1a22dd3ecbaca468ea67149:2', -1000, 999000, 'load-done-crazy_xuezhan-1', -1000),
	(61, 'escrow:1a22dd3ecbaca468ea67149:1', 1000, 1001000, 'load-done-crazy_xuezhan-3', 1000),
	(62, 'escrow:1a22dd3ecbaca468ea67149:3', -1000, 999000, 'load-done-crazy_xuezhan-2', -1000),
	(63, 'escrow:1a22dd3ecbaca468ea67149:1', 1000, 1002000, 'load-done-crazy_xuezhan-3', 1000),
	(64, 'escrow:1a22dd3ecbaca468ea67149:0', -1000, 999000, 'load-done-crazy_xuezhan-0', -1000),
	(65, 'escrow:1a22dd3ecbaca468ea67149:1', 1000, 1003000, 'load-done-crazy_xuezhan-3', 1000),
	(66, 'escrow:1a22dd3ecba55a4867f219a:1', -40, 999920, 'load-done-kaxinwu-3', -40),
	(67, 'escrow:1a22dd3ecba55a4867f219a:2', 40, 1000040, 'load-done-kaxinwu-0', 40),
	(68, 'escrow:1a22dd3ecba55a4867f219a:3', -40, 999960, 'load-done-kaxinwu-2', -40),
	(69, 'escrow:1a22dd3ecba55a4867f219a:2', 40, 1000080, 'load-done-kaxinwu-0', 40),
	(70, 'escrow:1a22dd3ecba55a4867f219a:1', -40, 999880, 'load-done-kaxinwu-3', -40),
	(71, 'escrow:1a22dd3ecba55a4867f219a:0', 40, 1000080, 'load-done-kaxinwu-1', 40),
	(72, 'escrow:1a22dd3ecba55a4867f219a:1', -40, 999840, 'load-done-kaxinwu-3', -40),
	(73, 'escrow:1a22dd3ecba55a4867f219a:2', 40, 1000120, 'load-done-kaxinwu-0', 40),
	(74, 'escrow:1a22dd3ecba55a4867f219a:3', -40, 999920, 'load-done-kaxinwu-2', -40),
	(75, 'escrow:1a22dd3ecba55a4867f219a:0', 40, 1000120, 'load-done-kaxinwu-1', 40),
	(76, 'escrow:1a22dd3ecba55a4867f219a:3', -40, 999880, 'load-done-kaxinwu-2', -40),
	(77, 'escrow:1a22dd3ecba55a4867f219a:2', 40, 1000160, 'load-done-kaxinwu-0', 40),
	(78, 'escrow:1a22dd3ecba55a4867f219a:0', -1000120, 0, NULL, 0),
	(79, 'wallet:load-done-kaxinwu-1', 1000120, 1000120, 'load-done-kaxinwu-1', 0),
	(80, 'escrow:1a22dd3ecba55a4867f219a:1', -999840, 0, NULL, 0),
	(81, 'wallet:load-done-kaxinwu-3', 999840, 999840, 'load-done-kaxinwu-3', 0),
	(82, 'escrow:1a22dd3ecba55a4867f219a:2', -1000160, 0, NULL, 0),
	(83, 'wallet:load-done-kaxinwu-0', 1000160, 1000160, 'load-done-kaxinwu-0', 0),
	(84, 'escrow:1a22dd3ecba55a4867f219a:3', -999880, 0, NULL, 0),
	(85, 'wallet:load-done-kaxinwu-2', 999880, 999880, 'load-done-kaxinwu-2', 0),
	(86, 'escrow:1a22dd3ecbaca468ea67149:2', -1, 998999, 'load-done-crazy_xuezhan-1', -1),
	(87, 'escrow:1a22dd3ecbaca468ea67149:0', 1, 999001, 'load-done-crazy_xuezhan-0', 1),
	(88, 'escrow:1a22dd3ecbaca468ea67149:3', -10, 998990, 'load-done-crazy_xuezhan-2', -10),
	(89, 'escrow:1a22dd3ecbaca468ea67149:2', 10, 999009, 'load-done-crazy_xuezhan-1', 10),
	(90, 'escrow:1a22dd3ecbaca468ea67149:0', -999001, 0, NULL, 0),
	(91, 'wallet:load-done-crazy_xuezhan-0', 999001, 999001, 'load-done-crazy_xuezhan-0', 0),
	(92, 'escrow:1a22dd3ecbaca468ea67149:1', -1003000, 0, NULL, 0),
	(93, 'wallet:load-done-crazy_xuezhan-3', 1003000, 1003000, 'load-done-crazy_xuezhan-3', 0),
	(94, 'escrow:1a22dd3ecbaca468ea67149:2', -999009, 0, NULL, 0),
	(95, 'wallet:load-done-crazy_xuezhan-1', 999009, 999009, 'load-done-crazy_xuezhan-1', 0),
	(96, 'escrow:1a22dd3ecbaca468ea67149:3', -998990, 0, NULL, 0),
	(97, 'wallet:load-done-crazy_xuezhan-2', 998990, 998990, 'load-done-crazy_xuezhan-2', 0),
	(98, 'escrow:1a22dd3ecbad0e9230662b7:1', -6, 999994, 'load-done-happy_sichuan-3', -6),
	(99, 'pool:1a22dd3ecbad0e9230662b7', 6, 6, NULL, 0),
	(100, 'escrow:1a22dd3ecbad0e9230662b7:2', -18, 999982, 'load-done-happy_sichuan-2', -18),
	(101, 'pool:1a22dd3ecbad0e9230662b7', 18, 24, NULL, 0);
INSERT INTO settlement.entries VALUES
	(102, 'pool:1a22dd3ecbad0e9230662b7', -12, 12, NULL, 0),
	(103, 'escrow:1a22dd3ecbad0e9230662b7:0', 12, 1000012, 'load-done-happy_sichuan-0', 12),
	(104, 'pool:1a22dd3ecbad0e9230662b7', -12, 0, NULL, 0),
	(105, 'escrow:1a22dd3ecbad0e9230662b7:3', 12, 1000012, 'load-done-happy_sichuan-1', 12),
	(106, 'escrow:1a22dd3ecbad0e9230662b7:0', -1000012, 0, NULL, 0),
	(107, 'wallet:load-done-happy_sichuan-0', 1000012, 1000012, 'load-done-happy_sichuan-0', 0),
	(108, 'escrow:1a22dd3ecbad0e9230662b7:1', -999994, 0, NULL, 0),
	(109, 'wallet:load-done-happy_sichuan-3', 999994, 999994, 'load-done-happy_sichuan-3', 0),
	(110, 'escrow:1a22dd3ecbad0e9230662b7:2', -999982, 0, NULL, 0),
	(111, 'wallet:load-done-happy_sichuan-2', 999982, 999982, 'load-done-happy_sichuan-2', 0),
	(112, 'escrow:1a22dd3ecbad0e9230662b7:3', -1000012, 0, NULL, 0),
	(113, 'wallet:load-done-happy_sichuan-1', 1000012, 1000012, 'load-done-happy_sichuan-1', 0),
	(114, 'outside', -1000000, NULL, NULL, 0),
	(115, 'wallet:load-live-crazy_xuezhan-3', 1000000, 1000000, 'load-live-crazy_xuezhan-3', 1000000),
	(124, 'outside', -1000000, NULL, NULL, 0),
	(125, 'wallet:load-live-crazy_xuezhan-7', 1000000, 1000000, 'load-live-crazy_xuezhan-7', 1000000),
	(132, 'outside', -1000000, NULL, NULL, 0),
	(133, 'wallet:load-live-happy_sichuan-2', 1000000, 1000000, 'load-live-happy_sichuan-2', 1000000),
	(140, 'outside', -1000000, NULL, NULL, 0),
	(141, 'wallet:load-live-happy_sichuan-6', 1000000, 1000000, 'load-live-happy_sichuan-6', 1000000),
	(146, 'outside', -1000000, NULL, NULL, 0),
	(147, 'wallet:load-live-kaxinwu-2', 1000000, 1000000, 'load-live-kaxinwu-2', 1000000),
	(152, 'outside', -1000000, NULL, NULL, 0),
	(153, 'wallet:load-live-kaxinwu-3', 1000000, 1000000, 'load-live-kaxinwu-3', 1000000),
	(158, 'outside', -1000000, NULL, NULL, 0),
	(159, 'wallet:load-live-kaxinwu-5', 1000000, 1000000, 'load-live-kaxinwu-5', 1000000),
	(166, 'outside', -1000000, NULL, NULL, 0),
	(167, 'wallet:load-live-crazy_duel-2', 1000000, 1000000, 'load-live-crazy_duel-2', 1000000),
	(178, 'wallet:load-live-crazy_xuezhan-7', -1000000, 0, 'load-live-crazy_xuezhan-7', 0),
	(179, 'escrow:1a22dd3f51f8ac6363a0ca5:0', 1000000, 1000000, NULL, 0),
	(180, 'wallet:load-live-crazy_xuezhan-4', -1000000, 0, 'load-live-crazy_xuezhan-4', 0),
	(181, 'escrow:1a22dd3f51f8ac6363a0ca5:1', 1000000, 1000000, NULL, 0),
	(182, 'wallet:load-live-crazy_xuezhan-1', -1000000, 0, 'load-live-crazy_xuezhan-1', 0),
	(183, 'escrow:1a22dd3f51f8ac6363a0ca5:2', 1000000, 1000000, NULL, 0),
	(184, 'wallet:load-live-crazy_xuezhan-2', -1000000, 0, 'load-live-crazy_xuezhan-2', 0),
	(185, 'escrow:1a22dd3f51f8ac6363a0ca5:3', 1000000, 1000000, NULL, 0),
	(206, 'wallet:load-live-crazy_duel-3', 0, 1000000, 'load-live-crazy_duel-3', 0),
	(207, 'escrow:1a22dd3f57e03cad8e295fd:0', 0, 0, NULL, 0),
	(208, 'wallet:load-live-crazy_duel-1', 0, 1000000, 'load-live-crazy_duel-1', 0),
	(209, 'escrow:1a22dd3f57e03cad8e295fd:1', 0, 0, NULL, 0),
	(116, 'outside', -1000000, NULL, NULL, 0),
	(117, 'wallet:load-live-crazy_xuezhan-5', 1000000, 1000000, 'load-live-crazy_xuezhan-5', 1000000),
	(122, 'outside', -1000000, NULL, NULL, 0),
	(123, 'wallet:load-live-crazy_xuezhan-2', 1000000, 1000000, 'load-live-crazy_xuezhan-2', 1000000),
	(128, 'outside', -1000000, NULL, NULL, 0),
	(129, 'wallet:load-live-crazy_xuezhan-0', 1000000, 1000000, 'load-live-crazy_xuezhan-0', 1000000),
	(134, 'outside', -1000000, NULL, NULL, 0),
	(135, 'wallet:load-live-happy_sichuan-4', 1000000, 1000000, 'load-live-happy_sichuan-4', 1000000),
	(142, 'outside', -1000000, NULL, NULL, 0),
	(143, 'wallet:load-live-happy_sichuan-5', 1000000, 1000000, 'load-live-happy_sichuan-5', 1000000),
	(156, 'outside', -1000000, NULL, NULL, 0),
	(157, 'wallet:load-live-kaxinwu-6', 1000000, 1000000, 'load-live-kaxinwu-6', 1000000),
	(162, 'outside', -1000000, NULL, NULL, 0),
	(163, 'wallet:load-live-crazy_duel-1', 1000000, 1000000, 'load-live-crazy_duel-1', 1000000),
	(202, 'wallet:load-live-crazy_duel-0', 0, 1000000, 'load-live-crazy_duel-0', 0),
	(203, 'escrow:1a22dd3f540112f1b4b384a:0', 0, 0, NULL, 0),
	(204, 'wallet:load-live-crazy_duel-2', 0, 1000000, 'load-live-crazy_duel-2', 0),
	(205, 'escrow:1a22dd3f540112f1b4b384a:1', 0, 0, NULL, 0),
	(118, 'outside', -1000000, NULL, NULL, 0),
	(119, 'wallet:load-live-crazy_xuezhan-4', 1000000, 1000000, 'load-live-crazy_xuezhan-4', 1000000),
	(126, 'outside', -1000000, NULL, NULL, 0),
	(127, 'wallet:load-live-crazy_xuezhan-6', 1000000, 1000000, 'load-live-crazy_xuezhan-6', 1000000),
	(130, 'outside', -1000000, NULL, NULL, 0),
	(131, 'wallet:load-live-happy_sichuan-0', 1000000, 1000000, 'load-live-happy_sichuan-0', 1000000),
	(136, 'outside', -1000000, NULL, NULL, 0),
	(137, 'wallet:load-live-happy_sichuan-3', 1000000, 1000000, 'load-live-happy_sichuan-3', 1000000),
	(148, 'outside', -1000000, NULL, NULL, 0),
	(149, 'wallet:load-live-kaxinwu-4', 1000000, 1000000, 'load-live-kaxinwu-4', 1000000),
	(154, 'outside', -1000000, NULL, NULL, 0),
	(155, 'wallet:load-live-kaxinwu-1', 1000000, 1000000, 'load-live-kaxinwu-1', 1000000),
	(164, 'outside', -1000000, NULL, NULL, 0),
	(165, 'wallet:load-live-crazy_duel-0', 1000000, 1000000, 'load-live-crazy_duel-0', 1000000),
	(186, 'wallet:load-live-crazy_xuezhan-6', -1000000, 0, 'load-live-crazy_xuezhan-6', 0),
	(187, 'escrow:1a22dd3f5400aeb23c7a4d1:0', 1000000, 1000000, NULL, 0),
	(188, 'wallet:load-live-crazy_xuezhan-5', -1000000, 0, 'load-live-crazy_xuezhan-5', 0),
	(189, 'escrow:1a22dd3f5400aeb23c7a4d1:1', 1000000, 1000000, NULL, 0),
	(190, 'wallet:load-live-crazy_xuezhan-3', -1000000, 0, 'load-live-crazy_xuezhan-3', 0),
	(191, 'escrow:1a22dd3f5400aeb23c7a4d1:2', 1000000, 1000000, NULL, 0),
	(192, 'wallet:load-live-crazy_xuezhan-0', -1000000, 0, 'load-live-crazy_xuezhan-0', 0),
	(193, 'escrow:1a22dd3f5400aeb23c7a4d1:3', 1000000, 1000000, NULL, 0),
	(218, 'wallet:load-live-happy_sichuan-1', -1000000, 0, 'load-live-happy_sichuan-1', 0),
	(219, 'escrow:1a22dd3f57eefab8b6f72bd:0', 1000000, 1000000, NULL, 0),
	(220, 'wallet:load-live-happy_sichuan-4', -1000000, 0, 'load-live-happy_sichuan-4', 0),
	(221, 'escrow:1a22dd3f57eefab8b6f72bd:1', 1000000, 1000000, NULL, 0),
	(222, 'wallet:load-live-happy_sichuan-6', -1000000, 0, 'load-live-happy_sichuan-6', 0),
	(223, 'escrow:1a22dd3f57eefab8b6f72bd:2', 1000000, 1000000, NULL, 0),
	(224, 'wallet:load-live-happy_sichuan-7', -1000000, 0, 'load-live-happy_sichuan-7', 0),
	(225, 'escrow:1a22dd3f57eefab8b6f72bd:3', 1000000, 1000000, NULL, 0),
	(120, 'outside', -1000000, NULL, NULL, 0),
	(121, 'wallet:load-live-crazy_xuezhan-1', 1000000, 1000000, 'load-live-crazy_xuezhan-1', 1000000),
	(138, 'outside', -1000000, NULL, NULL, 0),
	(139, 'wallet:load-live-happy_sichuan-1', 1000000, 1000000, 'load-live-happy_sichuan-1', 1000000),
	(144, 'outside', -1000000, NULL, NULL, 0),
	(145, 'wallet:load-live-happy_sichuan-7', 1000000, 1000000, 'load-live-happy_sichuan-7', 1000000),
	(150, 'outside', -1000000, NULL, NULL, 0),
	(151, 'wallet:load-live-kaxinwu-0', 1000000, 1000000, 'load-live-kaxinwu-0', 1000000),
	(160, 'outside', -1000000, NULL, NULL, 0),
	(161, 'wallet:load-live-kaxinwu-7', 1000000, 1000000, 'load-live-kaxinwu-7', 1000000),
	(168, 'outside', -1000000, NULL, NULL, 0),
	(169, 'wallet:load-live-crazy_duel-3', 1000000, 1000000, 'load-live-crazy_duel-3', 1000000);
INSERT INTO settlement.entries VALUES
	(170, 'wallet:load-live-happy_sichuan-2', -1000000, 0, 'load-live-happy_sichuan-2', 0),
	(171, 'escrow:1a22dd3f4f497684824ae2f:0', 1000000, 1000000, NULL, 0),
	(172, 'wallet:load-live-happy_sichuan-5', -1000000, 0, 'load-live-happy_sichuan-5', 0),
	(173, 'escrow:1a22dd3f4f497684824ae2f:1', 1000000, 1000000, NULL, 0),
	(174, 'wallet:load-live-happy_sichuan-0', -1000000, 0, 'load-live-happy_sichuan-0', 0),
	(175, 'escrow:1a22dd3f4f497684824ae2f:2', 1000000, 1000000, NULL, 0),
	(176, 'wallet:load-live-happy_sichuan-3', -1000000, 0, 'load-live-happy_sichuan-3', 0),
	(177, 'escrow:1a22dd3f4f497684824ae2f:3', 1000000, 1000000, NULL, 0),
	(194, 'wallet:load-live-kaxinwu-3', -1000000, 0, 'load-live-kaxinwu-3', 0),
	(195, 'escrow:1a22dd3f54090bfb85ae689:0', 1000000, 1000000, NULL, 0),
	(196, 'wallet:load-live-kaxinwu-2', -1000000, 0, 'load-live-kaxinwu-2', 0),
	(197, 'escrow:1a22dd3f54090bfb85ae689:1', 1000000, 1000000, NULL, 0),
	(198, 'wallet:load-live-kaxinwu-6', -1000000, 0, 'load-live-kaxinwu-6', 0),
	(199, 'escrow:1a22dd3f54090bfb85ae689:2', 1000000, 1000000, NULL, 0),
	(200, 'wallet:load-live-kaxinwu-4', -1000000, 0, 'load-live-kaxinwu-4', 0),
	(201, 'escrow:1a22dd3f54090bfb85ae689:3', 1000000, 1000000, NULL, 0),
	(210, 'wallet:load-live-kaxinwu-0', -1000000, 0, 'load-live-kaxinwu-0', 0),
	(211, 'escrow:1a22dd3f57e03cf2559d386:0', 1000000, 1000000, NULL, 0),
	(212, 'wallet:load-live-kaxinwu-7', -1000000, 0, 'load-live-kaxinwu-7', 0),
	(213, 'escrow:1a22dd3f57e03cf2559d386:1', 1000000, 1000000, NULL, 0),
	(214, 'wallet:load-live-kaxinwu-1', -1000000, 0, 'load-live-kaxinwu-1', 0),
	(215, 'escrow:1a22dd3f57e03cf2559d386:2', 1000000, 1000000, NULL, 0),
	(216, 'wallet:load-live-kaxinwu-5', -1000000, 0, 'load-live-kaxinwu-5', 0),
	(217, 'escrow:1a22dd3f57e03cf2559d386:3', 1000000, 1000000, NULL, 0);


--
-- Data for Name: holds; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.holds VALUES
	('1a22dd3ecbaca468ea67149', 0, '1a22dd3ecbaca468ea67149', 'load-done-crazy_xuezhan-0', 'escrow:1a22dd3ecbaca468ea67149:0', 'closed', 1000000, 999001, 0, 0),
	('1a22dd3ecbaca468ea67149', 1, '1a22dd3ecbaca468ea67149', 'load-done-crazy_xuezhan-3', 'escrow:1a22dd3ecbaca468ea67149:1', 'closed', 1000000, 1003000, 0, 0),
	('1a22dd3ecba6ddb48d2e5ee', 0, '1a22dd3ecba6ddb48d2e5ee', 'load-done-crazy_duel-1', 'escrow:1a22dd3ecba6ddb48d2e5ee:0', 'closed', 0, 0, 0, 0),
	('1a22dd3ecba6ddb48d2e5ee', 1, '1a22dd3ecba6ddb48d2e5ee', 'load-done-crazy_duel-0', 'escrow:1a22dd3ecba6ddb48d2e5ee:1', 'closed', 0, 0, 0, 0),
	('1a22dd3f51f8ac6363a0ca5', 0, '1a22dd3f51f8ac6363a0ca5', 'load-live-crazy_xuezhan-7', 'escrow:1a22dd3f51f8ac6363a0ca5:0', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f51f8ac6363a0ca5', 1, '1a22dd3f51f8ac6363a0ca5', 'load-live-crazy_xuezhan-4', 'escrow:1a22dd3f51f8ac6363a0ca5:1', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f51f8ac6363a0ca5', 2, '1a22dd3f51f8ac6363a0ca5', 'load-live-crazy_xuezhan-1', 'escrow:1a22dd3f51f8ac6363a0ca5:2', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f51f8ac6363a0ca5', 3, '1a22dd3f51f8ac6363a0ca5', 'load-live-crazy_xuezhan-2', 'escrow:1a22dd3f51f8ac6363a0ca5:3', 'bound', 1000000, 0, 0, 0),
	('1a22dd3ecbaca468ea67149', 2, '1a22dd3ecbaca468ea67149', 'load-done-crazy_xuezhan-1', 'escrow:1a22dd3ecbaca468ea67149:2', 'closed', 1000000, 999009, 0, 0),
	('1a22dd3ecbaca468ea67149', 3, '1a22dd3ecbaca468ea67149', 'load-done-crazy_xuezhan-2', 'escrow:1a22dd3ecbaca468ea67149:3', 'closed', 1000000, 998990, 0, 0),
	('1a22dd3ecbad0e9230662b7', 0, '1a22dd3ecbad0e9230662b7', 'load-done-happy_sichuan-0', 'escrow:1a22dd3ecbad0e9230662b7:0', 'closed', 1000000, 1000012, 0, 0),
	('1a22dd3ecbad0e9230662b7', 1, '1a22dd3ecbad0e9230662b7', 'load-done-happy_sichuan-3', 'escrow:1a22dd3ecbad0e9230662b7:1', 'closed', 1000000, 999994, 0, 0),
	('1a22dd3ecba55a4867f219a', 0, '1a22dd3ecba55a4867f219a', 'load-done-kaxinwu-1', 'escrow:1a22dd3ecba55a4867f219a:0', 'closed', 1000000, 1000120, 0, 0),
	('1a22dd3ecba55a4867f219a', 1, '1a22dd3ecba55a4867f219a', 'load-done-kaxinwu-3', 'escrow:1a22dd3ecba55a4867f219a:1', 'closed', 1000000, 999840, 0, 0),
	('1a22dd3ecba55a4867f219a', 2, '1a22dd3ecba55a4867f219a', 'load-done-kaxinwu-0', 'escrow:1a22dd3ecba55a4867f219a:2', 'closed', 1000000, 1000160, 0, 0),
	('1a22dd3ecba55a4867f219a', 3, '1a22dd3ecba55a4867f219a', 'load-done-kaxinwu-2', 'escrow:1a22dd3ecba55a4867f219a:3', 'closed', 1000000, 999880, 0, 0),
	('1a22dd3ecbad0e9230662b7', 2, '1a22dd3ecbad0e9230662b7', 'load-done-happy_sichuan-2', 'escrow:1a22dd3ecbad0e9230662b7:2', 'closed', 1000000, 999982, 0, 0),
	('1a22dd3ecbad0e9230662b7', 3, '1a22dd3ecbad0e9230662b7', 'load-done-happy_sichuan-1', 'escrow:1a22dd3ecbad0e9230662b7:3', 'closed', 1000000, 1000012, 0, 0),
	('1a22dd3f4f497684824ae2f', 0, '1a22dd3f4f497684824ae2f', 'load-live-happy_sichuan-2', 'escrow:1a22dd3f4f497684824ae2f:0', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f4f497684824ae2f', 1, '1a22dd3f4f497684824ae2f', 'load-live-happy_sichuan-5', 'escrow:1a22dd3f4f497684824ae2f:1', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f4f497684824ae2f', 2, '1a22dd3f4f497684824ae2f', 'load-live-happy_sichuan-0', 'escrow:1a22dd3f4f497684824ae2f:2', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f4f497684824ae2f', 3, '1a22dd3f4f497684824ae2f', 'load-live-happy_sichuan-3', 'escrow:1a22dd3f4f497684824ae2f:3', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f5400aeb23c7a4d1', 0, '1a22dd3f5400aeb23c7a4d1', 'load-live-crazy_xuezhan-6', 'escrow:1a22dd3f5400aeb23c7a4d1:0', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f5400aeb23c7a4d1', 1, '1a22dd3f5400aeb23c7a4d1', 'load-live-crazy_xuezhan-5', 'escrow:1a22dd3f5400aeb23c7a4d1:1', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f5400aeb23c7a4d1', 2, '1a22dd3f5400aeb23c7a4d1', 'load-live-crazy_xuezhan-3', 'escrow:1a22dd3f5400aeb23c7a4d1:2', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f5400aeb23c7a4d1', 3, '1a22dd3f5400aeb23c7a4d1', 'load-live-crazy_xuezhan-0', 'escrow:1a22dd3f5400aeb23c7a4d1:3', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f54090bfb85ae689', 0, '1a22dd3f54090bfb85ae689', 'load-live-kaxinwu-3', 'escrow:1a22dd3f54090bfb85ae689:0', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f54090bfb85ae689', 1, '1a22dd3f54090bfb85ae689', 'load-live-kaxinwu-2', 'escrow:1a22dd3f54090bfb85ae689:1', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f54090bfb85ae689', 2, '1a22dd3f54090bfb85ae689', 'load-live-kaxinwu-6', 'escrow:1a22dd3f54090bfb85ae689:2', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f54090bfb85ae689', 3, '1a22dd3f54090bfb85ae689', 'load-live-kaxinwu-4', 'escrow:1a22dd3f54090bfb85ae689:3', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f57e03cad8e295fd', 0, '1a22dd3f57e03cad8e295fd', 'load-live-crazy_duel-3', 'escrow:1a22dd3f57e03cad8e295fd:0', 'bound', 0, 0, 0, 0),
	('1a22dd3f57e03cad8e295fd', 1, '1a22dd3f57e03cad8e295fd', 'load-live-crazy_duel-1', 'escrow:1a22dd3f57e03cad8e295fd:1', 'bound', 0, 0, 0, 0),
	('1a22dd3f57e03cf2559d386', 0, '1a22dd3f57e03cf2559d386', 'load-live-kaxinwu-0', 'escrow:1a22dd3f57e03cf2559d386:0', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f57e03cf2559d386', 1, '1a22dd3f57e03cf2559d386', 'load-live-kaxinwu-7', 'escrow:1a22dd3f57e03cf2559d386:1', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f57e03cf2559d386', 2, '1a22dd3f57e03cf2559d386', 'load-live-kaxinwu-1', 'escrow:1a22dd3f57e03cf2559d386:2', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f57e03cf2559d386', 3, '1a22dd3f57e03cf2559d386', 'load-live-kaxinwu-5', 'escrow:1a22dd3f57e03cf2559d386:3', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f540112f1b4b384a', 0, '1a22dd3f540112f1b4b384a', 'load-live-crazy_duel-0', 'escrow:1a22dd3f540112f1b4b384a:0', 'bound', 0, 0, 0, 0),
	('1a22dd3f540112f1b4b384a', 1, '1a22dd3f540112f1b4b384a', 'load-live-crazy_duel-2', 'escrow:1a22dd3f540112f1b4b384a:1', 'bound', 0, 0, 0, 0),
	('1a22dd3f57eefab8b6f72bd', 0, '1a22dd3f57eefab8b6f72bd', 'load-live-happy_sichuan-1', 'escrow:1a22dd3f57eefab8b6f72bd:0', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f57eefab8b6f72bd', 1, '1a22dd3f57eefab8b6f72bd', 'load-live-happy_sichuan-4', 'escrow:1a22dd3f57eefab8b6f72bd:1', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f57eefab8b6f72bd', 2, '1a22dd3f57eefab8b6f72bd', 'load-live-happy_sichuan-6', 'escrow:1a22dd3f57eefab8b6f72bd:2', 'bound', 1000000, 0, 0, 0),
	('1a22dd3f57eefab8b6f72bd', 3, '1a22dd3f57eefab8b6f72bd', 'load-live-happy_sichuan-7', 'escrow:1a22dd3f57eefab8b6f72bd:3', 'bound', 1000000, 0, 0, 0);


--
-- Data for Name: items; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.items VALUES
	('1a22dd3ecbad0e9230662b7', 1, 'open', '{"kind":"open","room":"happy_sichuan/open","seats":[{"player":"load-done-happy_sichuan-0","seat":0},{"player":"load-done-happy_sichuan-3","seat":1},{"player":"load-done-happy_sichuan-2","seat":2},{"player":"load-done-happy_sichuan-1","seat":3}]}', 'aefece32e93e384c6593a94f41cf1f71791ebd02c0eb19f4306a96c34c380335', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecba55a4867f219a', 1, 'open', '{"kind":"open","room":"kaxinwu/coins","seats":[{"player":"load-done-kaxinwu-1","seat":0},{"player":"load-done-kaxinwu-3","seat":1},{"player":"load-done-kaxinwu-0","seat":2},{"player":"load-done-kaxinwu-2","seat":3}]}', '835f4abdb437a9056e020476f7a6e58a105aabb566e4823ab2a91fab0a44baa8', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecba6ddb48d2e5ee', 1, 'open', '{"kind":"open","room":"crazy_duel/rating","seats":[{"player":"load-done-crazy_duel-1","seat":0},{"player":"load-done-crazy_duel-0","seat":1}]}', '21e0ce237d7ede948c882c20218ca4ea2a5364e7b9dc19f3bd2a53409a65525c', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecbaca468ea67149', 1, 'open', '{"kind":"open","room":"crazy_xuezhan/mayou","seats":[{"player":"load-done-crazy_xuezhan-0","seat":0},{"player":"load-done-crazy_xuezhan-3","seat":1},{"player":"load-done-crazy_xuezhan-1","seat":2},{"player":"load-done-crazy_xuezhan-2","seat":3}]}', 'ebe2da7df70c454aee7394a034aa9b837b96007cad0365197c3e962920217015', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecba6ddb48d2e5ee', 2, 'hand_end', '{"causes":[],"hand":1,"kind":"hand_end","points":[],"rate":0,"rating":[3,-3]}', 'ca7f567f05cbb93114c18ac24dbae2dbd7d26fd7cd0329478714cc2ad2dcd1ab', 'applied', '{"seq":2,"kind":"hand_end","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[3,0]}', 1796065193, 1796065193),
	('1a22dd3ecba6ddb48d2e5ee', 3, 'close', '{"kind":"close","reason":"left"}', 'ae74ed26e8ddcb287649bc3985d83aa902122a6727d9b305543f919281e4f17f', 'applied', '{"seq":3,"kind":"close","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecba55a4867f219a', 2, 'stage', '{"base":20,"cause":"win","claims":[{"multiple":2,"payee":0,"payer":1}],"hand":1,"kind":"stage","stage":0}', 'ce07050a504744c2c440271238ab9c2864fec7034b7a7018821342b8347c7222', 'applied', '{"seq":2,"kind":"stage","result":"applied","reason":"","moves":[{"payer":1,"payee":0,"coins":40}],"change":[],"money":[1000040,999960,1000000,1000000],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecbaca468ea67149', 2, 'stage', '{"base":1,"cause":"win","claims":[{"multiple":1000,"payee":1,"payer":2},{"multiple":1000,"payee":1,"payer":3},{"multiple":1000,"payee":1,"payer":0}],"hand":1,"kind":"stage","stage":0}', '45344f874460a9a12fb872e759faf665d6a923abaf209f3545102707923bdea9', 'applied', '{"seq":2,"kind":"stage","result":"applied","reason":"","moves":[{"payer":2,"payee":1,"coins":1000},{"payer":3,"payee":1,"coins":1000},{"payer":0,"payee":1,"coins":1000}],"change":[],"money":[999000,1003000,999000,999000],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecba55a4867f219a', 3, 'stage', '{"base":20,"cause":"win","claims":[{"multiple":2,"payee":2,"payer":1}],"hand":1,"kind":"stage","stage":1}', 'b8e043be7c9cd010ebda3be6bca0733605aef007b5e733d29cfd9dbc13ffcd2d', 'applied', '{"seq":3,"kind":"stage","result":"applied","reason":"","moves":[{"payer":1,"payee":2,"coins":40}],"change":[],"money":[1000040,999920,1000040,1000000],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecba55a4867f219a', 6, 'close', '{"kind":"close","reason":"finished"}', '4a3e022d2a6ca558b49989bc8117a3d5c11add2423cf6612825e246f94430d1c', 'applied', '{"seq":6,"kind":"close","result":"applied","reason":"","moves":[],"change":[],"money":[0,0,0,0],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecba55a4867f219a', 4, 'stage', '{"base":20,"cause":"kong","claims":[{"multiple":2,"payee":2,"payer":3}],"hand":1,"kind":"stage","stage":2}', '6bc4b7f8a43a4a9953324278ba605f14d32475c97acf53b894272458770b20cc', 'applied', '{"seq":4,"kind":"stage","result":"applied","reason":"","moves":[{"payer":3,"payee":2,"coins":40}],"change":[],"money":[1000040,999920,1000080,999960],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecba55a4867f219a', 5, 'stage', '{"base":20,"cause":"not_ready","claims":[{"multiple":2,"payee":0,"payer":1},{"multiple":2,"payee":2,"payer":1},{"multiple":2,"payee":0,"payer":3},{"multiple":2,"payee":2,"payer":3}],"hand":1,"kind":"stage","stage":3}', 'bb51c29a01b827ea32ca6fcf6079a9c84b1db82552beca867fdd7cedd0714203', 'applied', '{"seq":5,"kind":"stage","result":"applied","reason":"","moves":[{"payer":1,"payee":0,"coins":40},{"payer":1,"payee":2,"coins":40},{"payer":3,"payee":0,"coins":40},{"payer":3,"payee":2,"coins":40}],"change":[],"money":[1000120,999840,1000160,999880],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecbaca468ea67149', 3, 'stage', '{"base":1,"cause":"win","claims":[{"multiple":1,"payee":0,"payer":2}],"hand":1,"kind":"stage","stage":1}', '1ebc93621b80c5042e74de7b25a468601841588c7fc7ffee928aedbe59ea1169', 'applied', '{"seq":3,"kind":"stage","result":"applied","reason":"","moves":[{"payer":2,"payee":0,"coins":1}],"change":[],"money":[999001,1003000,998999,999000],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecbaca468ea67149', 4, 'stage', '{"base":1,"cause":"win","claims":[{"multiple":10,"payee":2,"payer":3}],"hand":1,"kind":"stage","stage":2}', '18b7d3f16bad404fa9201355ca557780660231837a6460c1102150b737837576', 'applied', '{"seq":4,"kind":"stage","result":"applied","reason":"","moves":[{"payer":3,"payee":2,"coins":10}],"change":[],"money":[999001,1003000,999009,998990],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecbaca468ea67149', 5, 'close', '{"kind":"close","reason":"finished"}', '4a3e022d2a6ca558b49989bc8117a3d5c11add2423cf6612825e246f94430d1c', 'applied', '{"seq":5,"kind":"close","result":"applied","reason":"","moves":[],"change":[],"money":[0,0,0,0],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecbad0e9230662b7', 2, 'hand_end', '{"causes":[{"cause":"kong","claims":[{"multiple":6,"payee":2,"payer":3}]},{"cause":"win","claims":[{"multiple":12,"payee":3,"payer":2}]},{"cause":"kong","claims":[{"multiple":6,"payee":1,"payer":2}]},{"cause":"not_ready","claims":[{"multiple":6,"payee":0,"payer":1},{"multiple":6,"payee":0,"payer":2}]},{"cause":"refund","claims":[{"multiple":6,"payee":3,"payer":2},{"multiple":6,"payee":2,"payer":1}]}],"hand":1,"kind":"hand_end","points":[12,-6,-18,12],"rate":1,"rating":[]}', 'f58da0f2d5b676b9eb739194c421a9e40c051b86d07055ea6652a811eac26857', 'applied', '{"seq":2,"kind":"hand_end","result":"applied","reason":"","moves":[],"change":[12,-6,-18,12],"money":[1000012,999994,999982,1000012],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3ecbad0e9230662b7', 3, 'close', '{"kind":"close","reason":"finished"}', '4a3e022d2a6ca558b49989bc8117a3d5c11add2423cf6612825e246f94430d1c', 'applied', '{"seq":3,"kind":"close","result":"applied","reason":"","moves":[],"change":[],"money":[0,0,0,0],"short":[],"ratings":[]}', 1796065193, 1796065193),
	('1a22dd3f4f497684824ae2f', 1, 'open', '{"kind":"open","room":"happy_sichuan/open","seats":[{"player":"load-live-happy_sichuan-2","seat":0},{"player":"load-live-happy_sichuan-5","seat":1},{"player":"load-live-happy_sichuan-0","seat":2},{"player":"load-live-happy_sichuan-3","seat":3}]}', '7acca94a646f8e0decfeda19592522cfdf66f9d60c5736dbbfe83ca99adf2f9e', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', 1796065195, 1796065195),
	('1a22dd3f51f8ac6363a0ca5', 1, 'open', '{"kind":"open","room":"crazy_xuezhan/mayou","seats":[{"player":"load-live-crazy_xuezhan-7","seat":0},{"player":"load-live-crazy_xuezhan-4","seat":1},{"player":"load-live-crazy_xuezhan-1","seat":2},{"player":"load-live-crazy_xuezhan-2","seat":3}]}', 'f17fd0516b00ead27f474e81f865416597a7f61341d630dfd34345c6a346b650', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', 1796065195, 1796065195),
	('1a22dd3f5400aeb23c7a4d1', 1, 'open', '{"kind":"open","room":"crazy_xuezhan/mayou","seats":[{"player":"load-live-crazy_xuezhan-6","seat":0},{"player":"load-live-crazy_xuezhan-5","seat":1},{"player":"load-live-crazy_xuezhan-3","seat":2},{"player":"load-live-crazy_xuezhan-0","seat":3}]}', '19d955e3a9d06d37a011b98462a278cab19f8a44e24e70931bd59002f335f769', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', 1796065195, 1796065195),
	('1a22dd3f540112f1b4b384a', 1, 'open', '{"kind":"open","room":"crazy_duel/rating","seats":[{"player":"load-live-crazy_duel-0","seat":0},{"player":"load-live-crazy_duel-2","seat":1}]}', '726d8f0d4a86df4994cc8f4c4da103b9d134ea58544be9a1705cf4e72c831e9f', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[]}', 1796065195, 1796065195),
	('1a22dd3f54090bfb85ae689', 1, 'open', '{"kind":"open","room":"kaxinwu/coins","seats":[{"player":"load-live-kaxinwu-3","seat":0},{"player":"load-live-kaxinwu-2","seat":1},{"player":"load-live-kaxinwu-6","seat":2},{"player":"load-live-kaxinwu-4","seat":3}]}', 'f4c2ca8c3a788f8653250b4ada250e2ff38cdecf220adcee3ada89661baa8726', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', 1796065195, 1796065195),
	('1a22dd3f57e03cad8e295fd', 1, 'open', '{"kind":"open","room":"crazy_duel/rating","seats":[{"player":"load-live-crazy_duel-3","seat":0},{"player":"load-live-crazy_duel-1","seat":1}]}', '1719e3dd319c59f945d7db57610c06b6e484a7f75a6ab0a0e2f4124bb27a285a', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[]}', 1796065195, 1796065195),
	('1a22dd3f57e03cf2559d386', 1, 'open', '{"kind":"open","room":"kaxinwu/coins","seats":[{"player":"load-live-kaxinwu-0","seat":0},{"player":"load-live-kaxinwu-7","seat":1},{"player":"load-live-kaxinwu-1","seat":2},{"player":"load-live-kaxinwu-5","seat":3}]}', 'bb81c7cf470734658ff6c2fc63ed2c3a45832c004aea05dab3c3afb79d12ef46', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', 1796065195, 1796065195),
	('1a22dd3f57eefab8b6f72bd', 1, 'open', '{"kind":"open","room":"happy_sichuan/open","seats":[{"player":"load-live-happy_sichuan-1","seat":0},{"player":"load-live-happy_sichuan-4","seat":1},{"player":"load-live-happy_sichuan-6","seat":2},{"player":"load-live-happy_sichuan-7","seat":3}]}', '251152798c579ecc4fd56964946df2f29bb5aa1eb29fa3ad75605621b9f8e05b', 'applied', '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', 1796065195, 1796065195);


--
-- Data for Name: operator_actions; Type: TABLE DATA; Schema: settlement; Owner: -
--



--
-- Data for Name: rating_changes; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.rating_changes VALUES
	('1a22dd3ecba6ddb48d2e5ee', 2, 'load-done-crazy_duel-1', 'crazy_duel', 3, 1796065193),
	('1a22dd3ecba6ddb48d2e5ee', 2, 'load-done-crazy_duel-0', 'crazy_duel', 0, 1796065193);


--
-- Data for Name: ratings; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.ratings VALUES
	('load-done-crazy_duel-0', 'crazy_duel', 0),
	('load-done-crazy_duel-1', 'crazy_duel', 3);


--
-- Data for Name: requests; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.requests VALUES
	('load-done-crazy_xuezhan-2-funds', '9f02365d8eca6b56687ad8352e0301552d4e7914c73f1597594eed3c83cbaa65', 'done', 1000000, 1796065192),
	('load-done-crazy_xuezhan-3-funds', 'a876dfbfc34ef94c8b1669512f986a395fe3e7c0e3993d6b2a150609c8d37988', 'done', 1000000, 1796065192),
	('load-done-crazy_xuezhan-1-funds', '21d93686a023240d1454a4ad5cac3d436646d5a4d386b0e54462549d789032e2', 'done', 1000000, 1796065192),
	('load-done-crazy_xuezhan-0-funds', 'c3b0145d10edc711c6fd0e4fb0f9abcf0bd6a4dcf37cbd3a073ef8d7f452969b', 'done', 1000000, 1796065192),
	('load-done-happy_sichuan-0-funds', '8dfef705e2b6b3290e2ce185b6fe519adfea7aae4069cadce284e8462c252891', 'done', 1000000, 1796065193),
	('load-done-happy_sichuan-1-funds', 'c74a6385efc9fd23f6da1827658443da052e25dc34de8e35211edd63b9e88ecc', 'done', 1000000, 1796065193),
	('load-done-happy_sichuan-2-funds', '4e33443b8373313e2b7cbfdee29c3405898467394bdd35264275d8e1c5f20d32', 'done', 1000000, 1796065193),
	('load-done-happy_sichuan-3-funds', '498acaa705f81dfb89a893a9b8a64ccf3981b206f36de6e44ed46ffdbb5099a4', 'done', 1000000, 1796065193),
	('load-done-kaxinwu-0-funds', '2509810c9c2deafa7b7914641d289c66160838cecfbf28141eeb9bde4331d432', 'done', 1000000, 1796065193),
	('load-done-kaxinwu-2-funds', 'fc90bc4f98b64dfc8863a8e727db8e90fe2d7e4c7e238978d4b72eff756d8487', 'done', 1000000, 1796065193),
	('load-done-kaxinwu-1-funds', '0c42629656d543b8474d60dee384ca62960683f89127741966b01ff380067f74', 'done', 1000000, 1796065193),
	('load-done-kaxinwu-3-funds', '7ad2782a27477cda1a68b39afefe97261a8ffcc61cc7ff2a217cee2283b5c02a', 'done', 1000000, 1796065193),
	('load-done-crazy_duel-1-funds', 'c87c5fddb8d9ba5796d8faad6bb2b59e20434114a7cd7b3ba24ecf0f07cd227f', 'done', 1000000, 1796065193),
	('load-done-crazy_duel-0-funds', '88b027cf882e84c444b2bd559d432125bbdf434b1bfb88b4b5ad3de8d23b2640', 'done', 1000000, 1796065193),
	('load-live-crazy_xuezhan-3-funds', 'a3faa4db70dac8c41548febbf94447787aa3e98f828749f626dcc747137b7624', 'done', 1000000, 1796065195),
	('load-live-crazy_xuezhan-5-funds', '4600e546b582b33bada9176e57baa43d1aca3f006620b0105d30ae8e98b8ab15', 'done', 1000000, 1796065195),
	('load-live-crazy_xuezhan-4-funds', '8f4d76a947c5b03f1c0421372224e147193ffe86c7d5b37b1459cacc932a2cac', 'done', 1000000, 1796065195),
	('load-live-crazy_xuezhan-1-funds', '5612663a5cec404b329ed7d6d9d4d8047a57979833765c2d5f5b56222dcdfe8e', 'done', 1000000, 1796065195),
	('load-live-crazy_xuezhan-2-funds', '419b023464faed23f51f7360778b3d5fa34070a979121355d7754f2f34a05369', 'done', 1000000, 1796065195),
	('load-live-crazy_xuezhan-7-funds', '4011ceb6d989a90ed4e61aaca07e6fc584a2dc22008b6e9ab875d10b7cf4782e', 'done', 1000000, 1796065195),
	('load-live-crazy_xuezhan-0-funds', '605f66f9d20deca15f49fb81e220796fcb705d5ac46f11a0c72f5b9c8077b417', 'done', 1000000, 1796065195),
	('load-live-crazy_xuezhan-6-funds', '719035311e66feea01ccd4917a4e826f4cb4a70d6d03979a43f2278260ad1395', 'done', 1000000, 1796065195),
	('load-live-happy_sichuan-0-funds', '9f95100af407e07f7b57d77ce8a36c857b00f2c595895d8e1942cca66df72291', 'done', 1000000, 1796065195),
	('load-live-happy_sichuan-2-funds', 'dcb52409adb559a5667f10b34af058756a00ef7c3281e3e2b40fcd4fec3dbc22', 'done', 1000000, 1796065195),
	('load-live-happy_sichuan-4-funds', '15c535e0cf84509ab34c4d60a7eff21af59a07fd10e66d7e6b81cacf8e50fb29', 'done', 1000000, 1796065195),
	('load-live-happy_sichuan-1-funds', '0792e697c5f11fb636535f29bb45551f043e9893302b70f7807806c9a7937e31', 'done', 1000000, 1796065195),
	('load-live-happy_sichuan-3-funds', 'dcf9b3b8edd950110784f9e783446b74d211f513910b0a39dc4d517697587216', 'done', 1000000, 1796065195),
	('load-live-happy_sichuan-6-funds', '8ab05d65eeb8093b62426dec3bca1daff0793ebc9136ec2cc0333dafd6772b2f', 'done', 1000000, 1796065195),
	('load-live-happy_sichuan-5-funds', '7ade600d6fa15dd71045b73baaf227117a390f81a0441fa0e29fad84e891760a', 'done', 1000000, 1796065195),
	('load-live-happy_sichuan-7-funds', '3b386c244902efb208f95ac95f4a3f85d598c285ff3c2cca2d51601ea5c79629', 'done', 1000000, 1796065195),
	('load-live-kaxinwu-2-funds', 'b4a286b00339d0cc7c34241e518f7616560e7b028025f63a0ec1f8ddf5b57dc0', 'done', 1000000, 1796065195),
	('load-live-kaxinwu-4-funds', '484403023a2c9b5ee83ef5f549045fd6a9917fe0613d401776bc956c611186ae', 'done', 1000000, 1796065195),
	('load-live-kaxinwu-0-funds', '3d146a1f0659dea872df2d1a1d8c7b9f2ec371228fe85012828e83077d6e3c51', 'done', 1000000, 1796065195),
	('load-live-kaxinwu-3-funds', '332c6145dc112738be521938e9857f5d42e0b3cc7e75244a55176c6edd0c929e', 'done', 1000000, 1796065195),
	('load-live-kaxinwu-1-funds', '6682cd7628e0ee6edf3168992aa037d44445b57c18b2b68ec1c2f72010dbf949', 'done', 1000000, 1796065195),
	('load-live-kaxinwu-6-funds', 'ab28a4737148842c2b92b71aee4dc69f9520daed67a72164bb8e9ed3d972d546', 'done', 1000000, 1796065195),
	('load-live-kaxinwu-5-funds', 'e5acdc56cc3224684032efa6a881e6eef7f41e613fe7948109fe5e3264047446', 'done', 1000000, 1796065195),
	('load-live-kaxinwu-7-funds', 'd05fc0d60857e3e62ce0f8dff26f9b79fc3cb3cd1f5b0ad9dd01eb296ab20611', 'done', 1000000, 1796065195),
	('load-live-crazy_duel-1-funds', 'ff261967677102ebffea918ce4563a219b79c608db7ffcda42ce24019f96c9d8', 'done', 1000000, 1796065195),
	('load-live-crazy_duel-0-funds', '419a8789a286abde265dd272a261269d9729f2b7b630f9c89a74055666ee34f9', 'done', 1000000, 1796065195),
	('load-live-crazy_duel-2-funds', 'f651d5bf1102ca41a0f73156e9beb5da4f7ae93f60e25f7366dadc204a5e85f0', 'done', 1000000, 1796065195),
	('load-live-crazy_duel-3-funds', '8ba65000388aa0cbe51ba5eb83602de1bd53f2a81089984945cbe1c6ab03480a', 'done', 1000000, 1796065195);


--
-- Data for Name: tables; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.tables VALUES
	('1a22dd3ecba6ddb48d2e5ee', 'closed', 3, '', 1796065193, 'crazy_duel/rating', 'crazy_duel', 'stage', 0, 0, 0, 0, true),
	('1a22dd3ecba55a4867f219a', 'closed', 6, '', 1796065193, 'kaxinwu/coins', 'kaxinwu', 'stage', 20, 50, 3000, NULL, false),
	('1a22dd3ecbaca468ea67149', 'closed', 5, '', 1796065193, 'crazy_xuezhan/mayou', 'crazy_xuezhan', 'stage', 1, 100, 1000, NULL, false),
	('1a22dd3ecbad0e9230662b7', 'closed', 3, '', 1796065193, 'happy_sichuan/open', 'happy_sichuan', 'pooled', 1, 50, 3000, NULL, false),
	('1a22dd3f4f497684824ae2f', 'open', 1, '', 1796065195, 'happy_sichuan/open', 'happy_sichuan', 'pooled', 1, 50, 3000, NULL, false),
	('1a22dd3f51f8ac6363a0ca5', 'open', 1, '', 1796065195, 'crazy_xuezhan/mayou', 'crazy_xuezhan', 'stage', 1, 100, 1000, NULL, false),
	('1a22dd3f5400aeb23c7a4d1', 'open', 1, '', 1796065195, 'crazy_xuezhan/mayou', 'crazy_xuezhan', 'stage', 1, 100, 1000, NULL, false),
	('1a22dd3f54090bfb85ae689', 'open', 1, '', 1796065195, 'kaxinwu/coins', 'kaxinwu', 'stage', 20, 50, 3000, NULL, false),
	('1a22dd3f540112f1b4b384a', 'open', 1, '', 1796065195, 'crazy_duel/rating', 'crazy_duel', 'stage', 0, 0, 0, 0, true),
	('1a22dd3f57e03cad8e295fd', 'open', 1, '', 1796065195, 'crazy_duel/rating', 'crazy_duel', 'stage', 0, 0, 0, 0, true),
	('1a22dd3f57e03cf2559d386', 'open', 1, '', 1796065195, 'kaxinwu/coins', 'kaxinwu', 'stage', 20, 50, 3000, NULL, false),
	('1a22dd3f57eefab8b6f72bd', 'open', 1, '', 1796065195, 'happy_sichuan/open', 'happy_sichuan', 'pooled', 1, 50, 3000, NULL, false);


--
-- Data for Name: transfers; Type: TABLE DATA; Schema: settlement; Owner: -
--

INSERT INTO settlement.transfers VALUES
	(1, 1796065192, 'outside', 'wallet:load-done-crazy_xuezhan-2', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(2, 1796065192, 'outside', 'wallet:load-done-crazy_xuezhan-3', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(4, 1796065192, 'outside', 'wallet:load-done-crazy_xuezhan-1', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(3, 1796065192, 'outside', 'wallet:load-done-crazy_xuezhan-0', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(5, 1796065193, 'outside', 'wallet:load-done-happy_sichuan-0', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(6, 1796065193, 'outside', 'wallet:load-done-happy_sichuan-1', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(8, 1796065193, 'outside', 'wallet:load-done-happy_sichuan-3', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(7, 1796065193, 'outside', 'wallet:load-done-happy_sichuan-2', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(9, 1796065193, 'outside', 'wallet:load-done-kaxinwu-0', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(10, 1796065193, 'outside', 'wallet:load-done-kaxinwu-2', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(11, 1796065193, 'outside', 'wallet:load-done-kaxinwu-1', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(12, 1796065193, 'outside', 'wallet:load-done-kaxinwu-3', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(13, 1796065193, 'outside', 'wallet:load-done-crazy_duel-1', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(14, 1796065193, 'outside', 'wallet:load-done-crazy_duel-0', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(15, 1796065193, 'wallet:load-done-crazy_duel-1', 'escrow:1a22dd3ecba6ddb48d2e5ee:0', 0, 'stake', '1a22dd3ecba6ddb48d2e5ee', 0, 0, 0, 0, ''),
	(16, 1796065193, 'wallet:load-done-crazy_duel-0', 'escrow:1a22dd3ecba6ddb48d2e5ee:1', 0, 'stake', '1a22dd3ecba6ddb48d2e5ee', 0, 0, 0, 0, ''),
	(17, 1796065193, 'wallet:load-done-crazy_xuezhan-0', 'escrow:1a22dd3ecbaca468ea67149:0', 1000000, 'stake', '1a22dd3ecbaca468ea67149', 0, 0, 0, 0, ''),
	(18, 1796065193, 'wallet:load-done-crazy_xuezhan-3', 'escrow:1a22dd3ecbaca468ea67149:1', 1000000, 'stake', '1a22dd3ecbaca468ea67149', 0, 0, 0, 0, ''),
	(19, 1796065193, 'wallet:load-done-crazy_xuezhan-1', 'escrow:1a22dd3ecbaca468ea67149:2', 1000000, 'stake', '1a22dd3ecbaca468ea67149', 0, 0, 0, 0, ''),
	(20, 1796065193, 'wallet:load-done-crazy_xuezhan-2', 'escrow:1a22dd3ecbaca468ea67149:3', 1000000, 'stake', '1a22dd3ecbaca468ea67149', 0, 0, 0, 0, ''),
	(25, 1796065193, 'wallet:load-done-kaxinwu-1', 'escrow:1a22dd3ecba55a4867f219a:0', 1000000, 'stake', '1a22dd3ecba55a4867f219a', 0, 0, 0, 0, ''),
	(26, 1796065193, 'wallet:load-done-kaxinwu-3', 'escrow:1a22dd3ecba55a4867f219a:1', 1000000, 'stake', '1a22dd3ecba55a4867f219a', 0, 0, 0, 0, ''),
	(27, 1796065193, 'wallet:load-done-kaxinwu-0', 'escrow:1a22dd3ecba55a4867f219a:2', 1000000, 'stake', '1a22dd3ecba55a4867f219a', 0, 0, 0, 0, ''),
	(28, 1796065193, 'wallet:load-done-kaxinwu-2', 'escrow:1a22dd3ecba55a4867f219a:3', 1000000, 'stake', '1a22dd3ecba55a4867f219a', 0, 0, 0, 0, ''),
	(21, 1796065193, 'wallet:load-done-happy_sichuan-0', 'escrow:1a22dd3ecbad0e9230662b7:0', 1000000, 'stake', '1a22dd3ecbad0e9230662b7', 0, 0, 0, 0, ''),
	(22, 1796065193, 'wallet:load-done-happy_sichuan-3', 'escrow:1a22dd3ecbad0e9230662b7:1', 1000000, 'stake', '1a22dd3ecbad0e9230662b7', 0, 0, 0, 0, ''),
	(23, 1796065193, 'wallet:load-done-happy_sichuan-2', 'escrow:1a22dd3ecbad0e9230662b7:2', 1000000, 'stake', '1a22dd3ecbad0e9230662b7', 0, 0, 0, 0, ''),
	(24, 1796065193, 'wallet:load-done-happy_sichuan-1', 'escrow:1a22dd3ecbad0e9230662b7:3', 1000000, 'stake', '1a22dd3ecbad0e9230662b7', 0, 0, 0, 0, ''),
	(29, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:1', 'escrow:1a22dd3ecba55a4867f219a:0', 40, 'win', '1a22dd3ecba55a4867f219a', 2, 1, 2, 0, ''),
	(30, 1796065193, 'escrow:1a22dd3ecbaca468ea67149:2', 'escrow:1a22dd3ecbaca468ea67149:1', 1000, 'win', '1a22dd3ecbaca468ea67149', 2, 1, 1000, 0, ''),
	(31, 1796065193, 'escrow:1a22dd3ecbaca468ea67149:3', 'escrow:1a22dd3ecbaca468ea67149:1', 1000, 'win', '1a22dd3ecbaca468ea67149', 2, 1, 1000, 0, ''),
	(32, 1796065193, 'escrow:1a22dd3ecbaca468ea67149:0', 'escrow:1a22dd3ecbaca468ea67149:1', 1000, 'win', '1a22dd3ecbaca468ea67149', 2, 1, 1000, 0, ''),
	(33, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:1', 'escrow:1a22dd3ecba55a4867f219a:2', 40, 'win', '1a22dd3ecba55a4867f219a', 3, 1, 2, 0, ''),
	(34, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:3', 'escrow:1a22dd3ecba55a4867f219a:2', 40, 'kong', '1a22dd3ecba55a4867f219a', 4, 1, 2, 0, ''),
	(35, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:1', 'escrow:1a22dd3ecba55a4867f219a:0', 40, 'not_ready', '1a22dd3ecba55a4867f219a', 5, 1, 2, 0, ''),
	(36, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:1', 'escrow:1a22dd3ecba55a4867f219a:2', 40, 'not_ready', '1a22dd3ecba55a4867f219a', 5, 1, 2, 0, ''),
	(37, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:3', 'escrow:1a22dd3ecba55a4867f219a:0', 40, 'not_ready', '1a22dd3ecba55a4867f219a', 5, 1, 2, 0, ''),
	(38, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:3', 'escrow:1a22dd3ecba55a4867f219a:2', 40, 'not_ready', '1a22dd3ecba55a4867f219a', 5, 1, 2, 0, ''),
	(39, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:0', 'wallet:load-done-kaxinwu-1', 1000120, 'returned', '1a22dd3ecba55a4867f219a', 6, 0, 0, 0, 'finished'),
	(40, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:1', 'wallet:load-done-kaxinwu-3', 999840, 'returned', '1a22dd3ecba55a4867f219a', 6, 0, 0, 0, 'finished'),
	(41, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:2', 'wallet:load-done-kaxinwu-0', 1000160, 'returned', '1a22dd3ecba55a4867f219a', 6, 0, 0, 0, 'finished'),
	(42, 1796065193, 'escrow:1a22dd3ecba55a4867f219a:3', 'wallet:load-done-kaxinwu-2', 999880, 'returned', '1a22dd3ecba55a4867f219a', 6, 0, 0, 0, 'finished'),
	(43, 1796065193, 'escrow:1a22dd3ecbaca468ea67149:2', 'escrow:1a22dd3ecbaca468ea67149:0', 1, 'win', '1a22dd3ecbaca468ea67149', 3, 1, 1, 0, ''),
	(44, 1796065193, 'escrow:1a22dd3ecbaca468ea67149:3', 'escrow:1a22dd3ecbaca468ea67149:2', 10, 'win', '1a22dd3ecbaca468ea67149', 4, 1, 10, 0, ''),
	(45, 1796065193, 'escrow:1a22dd3ecbaca468ea67149:0', 'wallet:load-done-crazy_xuezhan-0', 999001, 'returned', '1a22dd3ecbaca468ea67149', 5, 0, 0, 0, 'finished'),
	(46, 1796065193, 'escrow:1a22dd3ecbaca468ea67149:1', 'wallet:load-done-crazy_xuezhan-3', 1003000, 'returned', '1a22dd3ecbaca468ea67149', 5, 0, 0, 0, 'finished'),
	(47, 1796065193, 'escrow:1a22dd3ecbaca468ea67149:2', 'wallet:load-done-crazy_xuezhan-1', 999009, 'returned', '1a22dd3ecbaca468ea67149', 5, 0, 0, 0, 'finished'),
	(48, 1796065193, 'escrow:1a22dd3ecbaca468ea67149:3', 'wallet:load-done-crazy_xuezhan-2', 998990, 'returned', '1a22dd3ecbaca468ea67149', 5, 0, 0, 0, 'finished'),
	(49, 1796065193, 'escrow:1a22dd3ecbad0e9230662b7:1', 'pool:1a22dd3ecbad0e9230662b7', 6, 'hand', '1a22dd3ecbad0e9230662b7', 2, 1, 6, 0, 'kong +6, not_ready -6, refund -6'),
	(50, 1796065193, 'escrow:1a22dd3ecbad0e9230662b7:2', 'pool:1a22dd3ecbad0e9230662b7', 18, 'hand', '1a22dd3ecbad0e9230662b7', 2, 1, 18, 0, 'kong +0, win -12, not_ready -6, refund +0'),
	(51, 1796065193, 'pool:1a22dd3ecbad0e9230662b7', 'escrow:1a22dd3ecbad0e9230662b7:0', 12, 'hand', '1a22dd3ecbad0e9230662b7', 2, 1, 12, 0, 'not_ready +12'),
	(52, 1796065193, 'pool:1a22dd3ecbad0e9230662b7', 'escrow:1a22dd3ecbad0e9230662b7:3', 12, 'hand', '1a22dd3ecbad0e9230662b7', 2, 1, 12, 0, 'kong -6, win +12, refund +6'),
	(53, 1796065193, 'escrow:1a22dd3ecbad0e9230662b7:0', 'wallet:load-done-happy_sichuan-0', 1000012, 'returned', '1a22dd3ecbad0e9230662b7', 3, 0, 0, 0, 'finished'),
	(54, 1796065193, 'escrow:1a22dd3ecbad0e9230662b7:1', 'wallet:load-done-happy_sichuan-3', 999994, 'returned', '1a22dd3ecbad0e9230662b7', 3, 0, 0, 0, 'finished'),
	(55, 1796065193, 'escrow:1a22dd3ecbad0e9230662b7:2', 'wallet:load-done-happy_sichuan-2', 999982, 'returned', '1a22dd3ecbad0e9230662b7', 3, 0, 0, 0, 'finished'),
	(56, 1796065193, 'escrow:1a22dd3ecbad0e9230662b7:3', 'wallet:load-done-happy_sichuan-1', 1000012, 'returned', '1a22dd3ecbad0e9230662b7', 3, 0, 0, 0, 'finished'),
	(57, 1796065195, 'outside', 'wallet:load-live-crazy_xuezhan-3', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(62, 1796065195, 'outside', 'wallet:load-live-crazy_xuezhan-7', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(66, 1796065195, 'outside', 'wallet:load-live-happy_sichuan-2', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(70, 1796065195, 'outside', 'wallet:load-live-happy_sichuan-6', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(73, 1796065195, 'outside', 'wallet:load-live-kaxinwu-2', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(76, 1796065195, 'outside', 'wallet:load-live-kaxinwu-3', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(79, 1796065195, 'outside', 'wallet:load-live-kaxinwu-5', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(83, 1796065195, 'outside', 'wallet:load-live-crazy_duel-2', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(89, 1796065195, 'wallet:load-live-crazy_xuezhan-7', 'escrow:1a22dd3f51f8ac6363a0ca5:0', 1000000, 'stake', '1a22dd3f51f8ac6363a0ca5', 0, 0, 0, 0, ''),
	(90, 1796065195, 'wallet:load-live-crazy_xuezhan-4', 'escrow:1a22dd3f51f8ac6363a0ca5:1', 1000000, 'stake', '1a22dd3f51f8ac6363a0ca5', 0, 0, 0, 0, ''),
	(91, 1796065195, 'wallet:load-live-crazy_xuezhan-1', 'escrow:1a22dd3f51f8ac6363a0ca5:2', 1000000, 'stake', '1a22dd3f51f8ac6363a0ca5', 0, 0, 0, 0, ''),
	(92, 1796065195, 'wallet:load-live-crazy_xuezhan-2', 'escrow:1a22dd3f51f8ac6363a0ca5:3', 1000000, 'stake', '1a22dd3f51f8ac6363a0ca5', 0, 0, 0, 0, ''),
	(103, 1796065195, 'wallet:load-live-crazy_duel-3', 'escrow:1a22dd3f57e03cad8e295fd:0', 0, 'stake', '1a22dd3f57e03cad8e295fd', 0, 0, 0, 0, ''),
	(104, 1796065195, 'wallet:load-live-crazy_duel-1', 'escrow:1a22dd3f57e03cad8e295fd:1', 0, 'stake', '1a22dd3f57e03cad8e295fd', 0, 0, 0, 0, ''),
	(58, 1796065195, 'outside', 'wallet:load-live-crazy_xuezhan-5', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(61, 1796065195, 'outside', 'wallet:load-live-crazy_xuezhan-2', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(64, 1796065195, 'outside', 'wallet:load-live-crazy_xuezhan-0', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(67, 1796065195, 'outside', 'wallet:load-live-happy_sichuan-4', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(71, 1796065195, 'outside', 'wallet:load-live-happy_sichuan-5', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(78, 1796065195, 'outside', 'wallet:load-live-kaxinwu-6', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(81, 1796065195, 'outside', 'wallet:load-live-crazy_duel-1', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(101, 1796065195, 'wallet:load-live-crazy_duel-0', 'escrow:1a22dd3f540112f1b4b384a:0', 0, 'stake', '1a22dd3f540112f1b4b384a', 0, 0, 0, 0, ''),
	(102, 1796065195, 'wallet:load-live-crazy_duel-2', 'escrow:1a22dd3f540112f1b4b384a:1', 0, 'stake', '1a22dd3f540112f1b4b384a', 0, 0, 0, 0, ''),
	(59, 1796065195, 'outside', 'wallet:load-live-crazy_xuezhan-4', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(63, 1796065195, 'outside', 'wallet:load-live-crazy_xuezhan-6', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(65, 1796065195, 'outside', 'wallet:load-live-happy_sichuan-0', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(68, 1796065195, 'outside', 'wallet:load-live-happy_sichuan-3', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(74, 1796065195, 'outside', 'wallet:load-live-kaxinwu-4', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(77, 1796065195, 'outside', 'wallet:load-live-kaxinwu-1', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(82, 1796065195, 'outside', 'wallet:load-live-crazy_duel-0', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(93, 1796065195, 'wallet:load-live-crazy_xuezhan-6', 'escrow:1a22dd3f5400aeb23c7a4d1:0', 1000000, 'stake', '1a22dd3f5400aeb23c7a4d1', 0, 0, 0, 0, ''),
	(94, 1796065195, 'wallet:load-live-crazy_xuezhan-5', 'escrow:1a22dd3f5400aeb23c7a4d1:1', 1000000, 'stake', '1a22dd3f5400aeb23c7a4d1', 0, 0, 0, 0, ''),
	(95, 1796065195, 'wallet:load-live-crazy_xuezhan-3', 'escrow:1a22dd3f5400aeb23c7a4d1:2', 1000000, 'stake', '1a22dd3f5400aeb23c7a4d1', 0, 0, 0, 0, ''),
	(96, 1796065195, 'wallet:load-live-crazy_xuezhan-0', 'escrow:1a22dd3f5400aeb23c7a4d1:3', 1000000, 'stake', '1a22dd3f5400aeb23c7a4d1', 0, 0, 0, 0, ''),
	(109, 1796065195, 'wallet:load-live-happy_sichuan-1', 'escrow:1a22dd3f57eefab8b6f72bd:0', 1000000, 'stake', '1a22dd3f57eefab8b6f72bd', 0, 0, 0, 0, ''),
	(110, 1796065195, 'wallet:load-live-happy_sichuan-4', 'escrow:1a22dd3f57eefab8b6f72bd:1', 1000000, 'stake', '1a22dd3f57eefab8b6f72bd', 0, 0, 0, 0, ''),
	(111, 1796065195, 'wallet:load-live-happy_sichuan-6', 'escrow:1a22dd3f57eefab8b6f72bd:2', 1000000, 'stake', '1a22dd3f57eefab8b6f72bd', 0, 0, 0, 0, ''),
	(112, 1796065195, 'wallet:load-live-happy_sichuan-7', 'escrow:1a22dd3f57eefab8b6f72bd:3', 1000000, 'stake', '1a22dd3f57eefab8b6f72bd', 0, 0, 0, 0, ''),
	(60, 1796065195, 'outside', 'wallet:load-live-crazy_xuezhan-1', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(69, 1796065195, 'outside', 'wallet:load-live-happy_sichuan-1', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(72, 1796065195, 'outside', 'wallet:load-live-happy_sichuan-7', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(75, 1796065195, 'outside', 'wallet:load-live-kaxinwu-0', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(80, 1796065195, 'outside', 'wallet:load-live-kaxinwu-7', 1000000, 'deposit', '', 0, 0, 0, 0, 'load'),
	(84, 1796065195, 'outside', 'wallet:load-live-crazy_duel-3', 1000000, 'deposit', '', 0, 0, 0, 0, 'load');
INSERT INTO settlement.transfers VALUES
	(85, 1796065195, 'wallet:load-live-happy_sichuan-2', 'escrow:1a22dd3f4f497684824ae2f:0', 1000000, 'stake', '1a22dd3f4f497684824ae2f', 0, 0, 0, 0, ''),
	(86, 1796065195, 'wallet:load-live-happy_sichuan-5', 'escrow:1a22dd3f4f497684824ae2f:1', 1000000, 'stake', '1a22dd3f4f497684824ae2f', 0, 0, 0, 0, ''),
	(87, 1796065195, 'wallet:load-live-happy_sichuan-0', 'escrow:1a22dd3f4f497684824ae2f:2', 1000000, 'stake', '1a22dd3f4f497684824ae2f', 0, 0, 0, 0, ''),
	(88, 1796065195, 'wallet:load-live-happy_sichuan-3', 'escrow:1a22dd3f4f497684824ae2f:3', 1000000, 'stake', '1a22dd3f4f497684824ae2f', 0, 0, 0, 0, ''),
	(97, 1796065195, 'wallet:load-live-kaxinwu-3', 'escrow:1a22dd3f54090bfb85ae689:0', 1000000, 'stake', '1a22dd3f54090bfb85ae689', 0, 0, 0, 0, ''),
	(98, 1796065195, 'wallet:load-live-kaxinwu-2', 'escrow:1a22dd3f54090bfb85ae689:1', 1000000, 'stake', '1a22dd3f54090bfb85ae689', 0, 0, 0, 0, ''),
	(99, 1796065195, 'wallet:load-live-kaxinwu-6', 'escrow:1a22dd3f54090bfb85ae689:2', 1000000, 'stake', '1a22dd3f54090bfb85ae689', 0, 0, 0, 0, ''),
	(100, 1796065195, 'wallet:load-live-kaxinwu-4', 'escrow:1a22dd3f54090bfb85ae689:3', 1000000, 'stake', '1a22dd3f54090bfb85ae689', 0, 0, 0, 0, ''),
	(105, 1796065195, 'wallet:load-live-kaxinwu-0', 'escrow:1a22dd3f57e03cf2559d386:0', 1000000, 'stake', '1a22dd3f57e03cf2559d386', 0, 0, 0, 0, ''),
	(106, 1796065195, 'wallet:load-live-kaxinwu-7', 'escrow:1a22dd3f57e03cf2559d386:1', 1000000, 'stake', '1a22dd3f57e03cf2559d386', 0, 0, 0, 0, ''),
	(107, 1796065195, 'wallet:load-live-kaxinwu-1', 'escrow:1a22dd3f57e03cf2559d386:2', 1000000, 'stake', '1a22dd3f57e03cf2559d386', 0, 0, 0, 0, ''),
	(108, 1796065195, 'wallet:load-live-kaxinwu-5', 'escrow:1a22dd3f57e03cf2559d386:3', 1000000, 'stake', '1a22dd3f57e03cf2559d386', 0, 0, 0, 0, '');


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: table; Owner: -
--

INSERT INTO "table".alembic_version VALUES
	('0001');


--
-- Data for Name: journal; Type: TABLE DATA; Schema: table; Owner: -
--

INSERT INTO "table".journal VALUES
	(1, 1, 1, 'open', -1, 0, 0, '{"players":["load-done-happy_sichuan-0","load-done-happy_sichuan-3","load-done-happy_sichuan-2","load-done-happy_sichuan-1"],"room":{"base":1,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":50,"game":"happy_sichuan","hands":1,"id":"open","idle_seconds":600.0,"lock":"all","min_coins":3000,"name":"\u4e0d\u5c01\u9876","options":{},"players":4,"rated":false,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"happy_sichuan/1"}', NULL),
	(2, 1, 1, 'open', -1, 0, 0, '{"players":["load-done-crazy_duel-1","load-done-crazy_duel-0"],"room":{"base":0,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":0,"game":"crazy_duel","hands":10,"id":"rating","idle_seconds":600.0,"lock":0,"min_coins":0,"name":"\u666e\u901a\u573a","options":{},"players":2,"rated":true,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"crazy_duel/1"}', NULL),
	(4, 1, 1, 'open', -1, 0, 0, '{"players":["load-done-crazy_xuezhan-0","load-done-crazy_xuezhan-3","load-done-crazy_xuezhan-1","load-done-crazy_xuezhan-2"],"room":{"base":1,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":100,"game":"crazy_xuezhan","hands":1,"id":"mayou","idle_seconds":600.0,"lock":"all","min_coins":1000,"name":"\u9ebb\u53cb","options":{},"players":4,"rated":false,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"crazy_xuezhan/1"}', NULL),
	(3, 1, 1, 'open', -1, 0, 0, '{"players":["load-done-kaxinwu-1","load-done-kaxinwu-3","load-done-kaxinwu-0","load-done-kaxinwu-2"],"room":{"base":20,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":50,"game":"kaxinwu","hands":1,"id":"coins","idle_seconds":600.0,"lock":"all","min_coins":3000,"name":"\u91d1\u5e01\u573a","options":{},"players":4,"rated":false,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"kaxinwu/1"}', NULL),
	(1, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(1, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["c031f2576bda6f5e23cfd256b13130088501e8cd3883010d23fd191de438aa4a","e49491764391932274ec461ec67a294e345451bbabcbdcbad07e945627d36765","d74d7aa2add0f96de4268d62169c6d74b3ef9124db3871d4308d5020ad623a38","ecd64f3e4473981175e8713d0cb4aaafb68bc8fae8ee3fc157bbac1898799463"],"key":"k1","nonce":"540b535ab9fd93a048b7419a32b6e6c9"}', NULL),
	(1, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"f92492798febb338f8eca53b98978be1"}', NULL),
	(1, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"9872852bf0132131e04411997cc2ca49"}', NULL),
	(1, 6, 1, 'reveal', 2, 0, 0, '{"bytes":"c4503ad3c92ec8157b7353c77febcee2"}', NULL),
	(1, 7, 1, 'reveal', 3, 0, 0, '{"bytes":"e6eb0d5eb70f114285bbd21ab3f44758"}', NULL),
	(1, 8, 1, 'deal', -1, 0, 0, '{"rules":"happy_sichuan/1"}', NULL),
	(1, 9, 1, 'act', 2, -1593408199985662871, 0, '["discard",0]', NULL),
	(1, 10, 1, 'act', 3, -1419432201728431240, 0, '["discard",18]', NULL),
	(3, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(3, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["2e1ca8e3baba9d1d98306416e5d461d05fe42a8022cf7896c8055e9c5cb537ad","273ab3269feaa0a86ad4f0e2662e195c15ce4bbe8be7b2bf4812e5e7a035ca74","8ebaa95df65cb2c27f53af88da5d353ac7f7d0f7845532235054aca703457708","e5d66515f504ba3022e581c7855e900b3ba8a972d89eab88323e4b7d2c4b4dfa"],"key":"k1","nonce":"5090c930fb4ec4dadefe7f0396fee35b"}', NULL),
	(2, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[]}', NULL),
	(2, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["56cc4f5d92d163dbd348366d34e1dacb6c4e15b5c7feae8225d9027aac99d7a5","ac6c3e02eae91a8df03aa1d3aa757688d4607fdb85b3563d5917e4065f807c46"],"key":"k1","nonce":"e95c194480d73262486db3174bbd6bbf"}', NULL),
	(4, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(4, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["9a7830e4a5fbebe33ca4475ef9111217269efe37cb2cf335329e3c7325966e9a","3ac726c3edadf13e3d1361188d1830bb3c745138e42ea14151eb3d894cffae7e","2efa81b01d975daff135791cc24f4ce0f0f23dd8af52672d2d07bc290b40989e","3202f3f181c4369d87d8dc13d3871835c92d8bf1b0c7c86af077fea9e5711e68"],"key":"k1","nonce":"4401c6b189e4a936f579f9e81d05c62c"}', NULL),
	(1, 11, 1, 'act', 0, -5568050865770728214, 0, '["discard",21]', NULL),
	(3, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"dcf954e85918ac82d9225956b4af1ac2"}', NULL),
	(3, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"2ed2d158ab85b8e68641a8a66694b810"}', NULL),
	(3, 6, 1, 'reveal', 2, 0, 0, '{"bytes":"71cd2e541928defde839f6c37640bd5f"}', NULL),
	(3, 7, 1, 'reveal', 3, 0, 0, '{"bytes":"44f697c799ae607de96e2bcefb127596"}', NULL),
	(3, 8, 1, 'deal', -1, 0, 0, '{"rules":"kaxinwu/1"}', NULL),
	(2, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"3571405ca2959021f5a40462bc95a8fb"}', NULL),
	(2, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"3c12d5d07f96ead7b179f06a96d492a3"}', NULL),
	(2, 6, 1, 'deal', -1, 0, 0, '{"rules":"crazy_duel/1"}', NULL),
	(4, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"fef779f76662ff1eea13a428d75b1686"}', NULL),
	(4, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"23fad3169bf7c11e6c2fc901bcd77819"}', NULL),
	(4, 6, 1, 'reveal', 2, 0, 0, '{"bytes":"ba2d8a0794bb29c68f37fa0209f820d3"}', NULL),
	(4, 7, 1, 'reveal', 3, 0, 0, '{"bytes":"5e14baa7202b2ec95f2e39a34c90096f"}', NULL),
	(4, 8, 1, 'deal', -1, 0, 0, '{"rules":"crazy_xuezhan/1"}', NULL),
	(1, 12, 1, 'act', 2, 9033160118138664375, 0, '["pass",-1]', NULL),
	(3, 9, 1, 'act', 3, -2097748504648484361, 0, '["discard",11]', NULL),
	(2, 7, 1, 'act', 1, -587021533332161983, 0, '["play",-1,[20,21,23],"triple"]', NULL),
	(4, 9, 1, 'act', 0, -2838199169854152165, 0, '["void",1]', NULL),
	(4, 10, 1, 'act', 1, -374496111490462910, 0, '["void",0]', NULL),
	(4, 11, 1, 'act', 2, 3302305427173765656, 0, '["void",0]', NULL),
	(4, 12, 1, 'act', 3, 8127459749516776284, 0, '["void",2]', NULL),
	(1, 13, 1, 'act', 1, -1237800439253783109, 0, '["discard",19]', NULL),
	(3, 10, 1, 'act', 0, -5140054685785945317, 0, '["pass",-1]', NULL),
	(2, 8, 1, 'act', 0, -2905043615436319641, 0, '["play",-1,[0,1,2,3],"bomb"]', NULL),
	(4, 13, 1, 'act', 0, -294752684084520434, 0, '["exchange",-1,[19,22,23],""]', NULL),
	(4, 14, 1, 'act', 1, 2601603464040942097, 0, '["exchange",-1,[2,4,5],""]', NULL),
	(4, 15, 1, 'act', 2, 3604170294730652495, 0, '["exchange",-1,[10,13,15],""]', NULL),
	(4, 16, 1, 'act', 3, 1401101746680606770, 0, '["exchange",-1,[18,21,25],""]', NULL),
	(1, 14, 1, 'act', 2, 7533352407336085625, 0, '["discard",1]', NULL),
	(3, 11, 1, 'act', 0, -4049707940984714558, 0, '["discard",13]', NULL),
	(2, 9, 1, 'act', 1, -6978675390993120823, 0, '["play",-1,[4,5,6,7],"bomb"]', NULL),
	(4, 17, 1, 'act', 1, 3490666469110966499, 0, '["discard",9]', NULL),
	(1, 15, 1, 'act', 3, 4205019255541622625, 0, '["discard",10]', NULL),
	(3, 12, 1, 'act', 1, -8537018916017963384, 0, '["discard",22]', NULL),
	(2, 10, 1, 'act', 0, 3291296017668396039, 0, '["play",-1,[24,25,26,27],"bomb"]', NULL),
	(4, 18, 1, 'act', 2, -928507252850083795, 0, '["discard",0]', NULL),
	(1, 16, 1, 'act', 0, -7323800076272758383, 0, '["discard",23]', NULL),
	(3, 13, 1, 'act', 2, 585546799570352571, 0, '["pass",-1]', NULL),
	(2, 11, 1, 'act', 1, -2990351333172407346, 0, '["play",-1,[16,16,17,18,19],"bomb"]', NULL),
	(4, 19, 1, 'act', 0, 5133078773462018336, 0, '["pass",-1]', NULL),
	(1, 17, 1, 'act', 1, -1867271733002925037, 0, '["discard",22]', NULL),
	(3, 14, 1, 'act', 2, 1237480466677591453, 0, '["discard",17]', NULL),
	(2, 12, 1, 'act', 0, -740050982474937369, 0, '["play",-1,[20,21,22,22,23],"bomb"]', NULL),
	(4, 20, 1, 'act', 3, -7636081261132753654, 0, '["discard",21]', NULL),
	(1, 18, 1, 'act', 2, 2571155737134025197, 0, '["discard",8]', NULL),
	(3, 15, 1, 'act', 0, 3272700953838523162, 0, '["pung",-1]', NULL),
	(2, 13, 1, 'act', 1, 6755796779200111023, 0, '["pass",-1]', NULL),
	(4, 21, 1, 'act', 0, 3963681590553921026, 0, '["discard",10]', NULL),
	(1, 19, 1, 'act', 1, 1749459494520387242, 0, '["pass",-1]', NULL),
	(3, 16, 1, 'act', 0, 5144655040310072419, 0, '["discard",10]', NULL),
	(2, 14, 1, 'act', 0, 8179255383483357960, 0, '["play",-1,[5,6,7,8,10,11,13,13,14,18,29,29],"triple_row"]', 'a9c50a485821b81a3c9612411bd25972179144f944f30cc3bc616fc490ca2e00'),
	(4, 22, 1, 'act', 1, 7735606202178004308, 0, '["discard",19]', NULL),
	(1, 20, 1, 'act', 3, 7619774070677854696, 0, '["discard",15]', NULL),
	(3, 17, 1, 'act', 3, -297767209084382009, 0, '["pass",-1]', NULL),
	(2, 15, 1, 'seat', 0, 0, 0, '{"leaving":true,"on_auto":false}', NULL),
	(2, 16, 1, 'seat', 1, 0, 0, '{"leaving":true,"on_auto":false}', NULL),
	(4, 23, 1, 'act', 2, -2880561304223456341, 0, '["discard",0]', NULL),
	(2, 17, 1, 'settled', -1, 0, 0, '{"seq":2,"kind":"hand_end","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[3,0]}', 'a9c50a485821b81a3c9612411bd25972179144f944f30cc3bc616fc490ca2e00'),
	(1, 21, 1, 'act', 2, -499993616451708332, 0, '["kong",15,[],"direct_kong"]', NULL),
	(3, 18, 1, 'act', 1, 4780246874363232733, 0, '["discard",15]', NULL),
	(4, 24, 1, 'act', 0, -4242947492124393933, 0, '["pung",-1]', NULL),
	(1, 22, 1, 'act', 2, 6796087341071889579, 0, '["discard",2]', NULL),
	(3, 19, 1, 'act', 2, -5025362395529637165, 0, '["discard",10]', NULL),
	(4, 25, 1, 'act', 0, -6462477040245703040, 0, '["discard",10]', NULL),
	(2, 18, 1, 'settled', -1, 0, 0, '{"seq":3,"kind":"close","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[]}', NULL),
	(1, 23, 1, 'act', 3, -8325143828281149, 0, '["discard",17]', NULL),
	(3, 20, 1, 'act', 3, -893274816533574983, 0, '["discard",13]', NULL),
	(4, 26, 1, 'act', 1, 8349906224948816543, 0, '["discard",24]', NULL),
	(1, 24, 1, 'act', 0, -366766856065710191, 0, '["discard",10]', NULL),
	(3, 21, 1, 'act', 0, -1411852477348940676, 0, '["discard",26]', NULL),
	(4, 27, 1, 'act', 2, -7462164757093114827, 0, '["discard",4]', NULL),
	(1, 25, 1, 'act', 1, -8295311402022968109, 0, '["discard",25]', NULL),
	(3, 22, 1, 'act', 1, 6157592307137913838, 0, '["discard",15]', NULL),
	(4, 28, 1, 'act', 3, 6325683837399098741, 0, '["pass",-1]', NULL),
	(1, 26, 1, 'act', 3, -544145265687242137, 0, '["pung",-1]', NULL),
	(3, 23, 1, 'act', 0, 8361404975998392694, 0, '["win",-1]', '03834e8e5f858515f64ad99f6f6ad8cee9f74955a35e865b3512cea9e314710e'),
	(4, 29, 1, 'act', 3, -1875739603364297636, 0, '["discard",11]', NULL),
	(1, 27, 1, 'act', 3, 3796387635079092569, 0, '["discard",17]', NULL),
	(3, 24, 1, 'act', 1, 7553961137482765006, 0, '["discard",18]', NULL),
	(4, 30, 1, 'act', 0, -2543162747397046816, 0, '["discard",13]', NULL),
	(1, 28, 1, 'act', 0, 6065302437834953241, 0, '["discard",20]', NULL);
INSERT INTO "table".journal VALUES
	(3, 25, 1, 'act', 2, -3586891886810915392, 0, '["discard",18]', NULL),
	(4, 31, 1, 'act', 1, -5725480625584258110, 0, '["discard",13]', NULL),
	(1, 29, 1, 'act', 1, -6446020793952841779, 0, '["discard",23]', NULL),
	(3, 26, 1, 'act', 3, 5468712733005705837, 0, '["discard",18]', NULL),
	(3, 27, 1, 'act', 0, 0, 2, '["discard",26]', NULL),
	(4, 32, 1, 'act', 2, -3735809139180528137, 0, '["discard",8]', NULL),
	(1, 30, 1, 'act', 2, 7342688710968329837, 0, '["discard",17]', NULL),
	(3, 28, 1, 'act', 1, 5636596468350380608, 0, '["discard",21]', NULL),
	(4, 33, 1, 'act', 3, -7907266841123605260, 0, '["discard",12]', NULL),
	(1, 31, 1, 'act', 3, 7819416848907777069, 0, '["discard",20]', NULL),
	(3, 29, 1, 'act', 2, 5563483365136967047, 0, '["discard",13]', NULL),
	(4, 34, 1, 'act', 1, 6409447419319980111, 0, '["kong",12,[],"direct_kong"]', NULL),
	(1, 32, 1, 'act', 0, -2741859258527102942, 0, '["discard",22]', NULL),
	(3, 30, 1, 'act', 3, 9094910751560082256, 0, '["discard",26]', NULL),
	(3, 31, 1, 'act', 0, 0, 2, '["discard",23]', NULL),
	(4, 35, 1, 'act', 1, 8555562602556949734, 0, '["win",-1]', '78d04a7bb208e93cd160123f9dd4a224747dd8de00fef9a968802807611f907a'),
	(1, 33, 1, 'act', 1, 4929584115614290206, 0, '["discard",16]', NULL),
	(3, 32, 1, 'act', 3, -8023359841183761335, 0, '["pass",-1]', NULL),
	(4, 36, 1, 'act', 2, 6349737461373085297, 0, '["discard",6]', NULL),
	(1, 34, 1, 'act', 2, -17106609488268800, 0, '["discard",9]', NULL),
	(3, 33, 1, 'act', 1, 4018751640682503805, 0, '["discard",21]', NULL),
	(4, 37, 1, 'act', 3, -4015039969263119737, 0, '["discard",22]', NULL),
	(1, 35, 1, 'act', 3, 1110441524011372376, 0, '["discard",10]', NULL),
	(3, 34, 1, 'act', 2, 2334219623212994248, 0, '["win",-1]', 'b3e9d10c31abe1cbdff2e78fa70d8eae67edcb9f173c7eae9bae5aef05592cfa'),
	(4, 38, 1, 'act', 0, -5108113006571800310, 0, '["discard",14]', NULL),
	(3, 35, 1, 'settled', -1, 0, 0, '{"seq":2,"kind":"stage","result":"applied","reason":"","moves":[{"payer":1,"payee":0,"coins":40}],"change":[],"money":[1000040,999960,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(4, 39, 1, 'settled', -1, 0, 0, '{"seq":2,"kind":"stage","result":"applied","reason":"","moves":[{"payer":2,"payee":1,"coins":1000},{"payer":3,"payee":1,"coins":1000},{"payer":0,"payee":1,"coins":1000}],"change":[],"money":[999000,1003000,999000,999000],"short":[],"ratings":[]}', NULL),
	(1, 36, 1, 'act', 0, 2713772491406867311, 0, '["discard",24]', NULL),
	(3, 36, 1, 'act', 3, -2745708168900172922, 0, '["discard",12]', NULL),
	(3, 37, 1, 'act', 2, 0, 2, '["kong",12,[],"direct_kong"]', '449647b12431bb9f55cc4e62099ec45887ee8fc11cd97c4c40ea7d1edf590edf'),
	(3, 38, 1, 'act', 2, 0, 2, '["discard",26]', 'f01d9a995c621b8faebb77f85c0f5c4c1b244f97fab484f4eae41fef237601a1'),
	(4, 40, 1, 'act', 2, -2784227011983901912, 0, '["discard",19]', NULL),
	(1, 37, 1, 'act', 1, -8907582336579885708, 0, '["discard",8]', NULL),
	(4, 41, 1, 'act', 3, -7130892854815954802, 0, '["discard",20]', NULL),
	(1, 38, 1, 'act', 2, -6305411328266453872, 0, '["discard",21]', NULL),
	(4, 42, 1, 'act', 0, 4307067741411591209, 0, '["discard",15]', NULL),
	(1, 39, 1, 'act', 3, 3423788121906921815, 0, '["discard",9]', NULL),
	(4, 43, 1, 'act', 2, 2192690430625588394, 0, '["discard",5]', NULL),
	(1, 40, 1, 'act', 0, 6465561114169132609, 0, '["discard",9]', NULL),
	(4, 44, 1, 'act', 3, -3407165742714283694, 0, '["discard",14]', NULL),
	(1, 41, 1, 'act', 1, 18972378584415247, 0, '["discard",18]', NULL),
	(4, 45, 1, 'act', 0, 3654860261937411715, 0, '["discard",16]', NULL),
	(1, 42, 1, 'act', 2, 3852692712631378283, 0, '["discard",5]', NULL),
	(4, 46, 1, 'act', 2, 7914440441266424517, 0, '["discard",23]', NULL),
	(1, 43, 1, 'act', 1, 633066879191187452, 0, '["pung",-1]', NULL),
	(4, 47, 1, 'act', 3, 111206942680318883, 0, '["discard",8]', NULL),
	(1, 44, 1, 'act', 1, 2821594191642686219, 0, '["discard",3]', NULL),
	(4, 48, 1, 'act', 0, 10768916006437249, 0, '["discard",2]', NULL),
	(1, 45, 1, 'act', 3, 7245472707408761044, 0, '["pass",-1]', NULL),
	(4, 49, 1, 'act', 3, -1433061728803001849, 0, '["pass",-1]', NULL),
	(1, 46, 1, 'act', 2, -5910621831790069490, 0, '["discard",24]', NULL),
	(4, 50, 1, 'act', 2, 328787440397215230, 0, '["discard",8]', NULL),
	(1, 47, 1, 'act', 3, 3694964125188600668, 0, '["discard",2]', NULL),
	(4, 51, 1, 'act', 3, 8282468991798178667, 0, '["discard",21]', NULL),
	(1, 48, 1, 'act', 0, 2954342543149344530, 0, '["discard",18]', NULL),
	(4, 52, 1, 'act', 0, 8405883233628042475, 0, '["discard",25]', NULL),
	(3, 39, 1, 'settled', -1, 0, 0, '{"seq":3,"kind":"stage","result":"applied","reason":"","moves":[{"payer":1,"payee":2,"coins":40}],"change":[],"money":[1000040,999920,1000040,1000000],"short":[],"ratings":[]}', NULL),
	(3, 40, 1, 'settled', -1, 0, 0, '{"seq":4,"kind":"stage","result":"applied","reason":"","moves":[{"payer":3,"payee":2,"coins":40}],"change":[],"money":[1000040,999920,1000080,999960],"short":[],"ratings":[]}', NULL),
	(3, 41, 1, 'settled', -1, 0, 0, '{"seq":5,"kind":"stage","result":"applied","reason":"","moves":[{"payer":1,"payee":0,"coins":40},{"payer":1,"payee":2,"coins":40},{"payer":3,"payee":0,"coins":40},{"payer":3,"payee":2,"coins":40}],"change":[],"money":[1000120,999840,1000160,999880],"short":[],"ratings":[]}', NULL),
	(3, 42, 1, 'settled', -1, 0, 0, '{"seq":6,"kind":"close","result":"applied","reason":"","moves":[],"change":[],"money":[0,0,0,0],"short":[],"ratings":[]}', NULL),
	(1, 49, 1, 'act', 1, -2177088810086432412, 0, '["discard",24]', NULL),
	(4, 53, 1, 'act', 2, 320277668071767757, 0, '["pass",-1]', NULL),
	(1, 50, 1, 'act', 2, -8842584484196224648, 0, '["discard",25]', NULL),
	(4, 54, 1, 'act', 2, -8766430737827189375, 0, '["discard",8]', NULL),
	(1, 51, 1, 'act', 3, -4059840030481042660, 0, '["win",-1]', NULL),
	(4, 55, 1, 'act', 3, -8335557702842422098, 0, '["discard",11]', NULL),
	(1, 52, 1, 'act', 0, 1169164214171895599, 0, '["discard",3]', NULL),
	(4, 56, 1, 'act', 0, -2681698332133532516, 0, '["discard",18]', NULL),
	(1, 53, 1, 'act', 1, -4112242281990862905, 0, '["discard",20]', NULL),
	(4, 57, 1, 'act', 2, -7354499746162383979, 0, '["discard",21]', NULL),
	(1, 54, 1, 'act', 2, -8203958511987833389, 0, '["discard",26]', NULL),
	(4, 58, 1, 'act', 0, -8169483842481127272, 0, '["win",-1]', '8c83bc5c21c2a30ce0d77a0c59717acf1473d1247ab1f3efb3a2a174e4c398ec'),
	(1, 55, 1, 'act', 0, -5625186607876829195, 0, '["discard",2]', NULL),
	(4, 59, 1, 'act', 2, -7230484260363879523, 0, '["discard",9]', NULL),
	(1, 56, 1, 'act', 1, -9222629583040243267, 0, '["discard",18]', NULL),
	(4, 60, 1, 'act', 3, -1390846321826419422, 0, '["discard",11]', NULL),
	(1, 57, 1, 'act', 2, 9059737251803277262, 0, '["discard",19]', NULL),
	(4, 61, 1, 'act', 2, 2748081734318186014, 0, '["win",-1]', 'c9423055faccbf2ad0209d0d20c49ac1f3805312a274c0f8340eebc9eed7ddc3'),
	(1, 58, 1, 'act', 0, 3407680710848078706, 0, '["discard",16]', NULL),
	(1, 59, 1, 'act', 1, -2006869560652880461, 0, '["discard",13]', NULL),
	(1, 60, 1, 'act', 2, -1181270641014551141, 0, '["discard",26]', NULL),
	(1, 61, 1, 'act', 0, 2978088748275221297, 0, '["discard",0]', NULL),
	(4, 62, 1, 'settled', -1, 0, 0, '{"seq":3,"kind":"stage","result":"applied","reason":"","moves":[{"payer":2,"payee":0,"coins":1}],"change":[],"money":[999001,1003000,998999,999000],"short":[],"ratings":[]}', NULL),
	(11, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"45f6164401557ca0665a8800620a2bde"}', NULL),
	(4, 63, 1, 'settled', -1, 0, 0, '{"seq":4,"kind":"stage","result":"applied","reason":"","moves":[{"payer":3,"payee":2,"coins":10}],"change":[],"money":[999001,1003000,999009,998990],"short":[],"ratings":[]}', NULL),
	(4, 64, 1, 'settled', -1, 0, 0, '{"seq":5,"kind":"close","result":"applied","reason":"","moves":[],"change":[],"money":[0,0,0,0],"short":[],"ratings":[]}', NULL),
	(1, 62, 1, 'act', 1, -4319050142192490859, 0, '["discard",26]', NULL),
	(1, 63, 1, 'act', 2, 8759482033849761046, 0, '["discard",11]', NULL),
	(1, 64, 1, 'act', 1, 4023423160534027331, 0, '["kong",11,[],"direct_kong"]', NULL),
	(1, 65, 1, 'act', 1, -7138094140550429918, 0, '["discard",4]', NULL),
	(1, 66, 1, 'act', 0, 3462030597558825955, 0, '["pung",-1]', NULL),
	(1, 67, 1, 'act', 0, -6282541208597428156, 0, '["discard",7]', NULL),
	(1, 68, 1, 'act', 1, -8231223816303384187, 0, '["discard",19]', NULL),
	(1, 69, 1, 'act', 2, 496864857157869332, 0, '["discard",23]', NULL),
	(1, 70, 1, 'act', 0, -8430603051456862704, 0, '["discard",0]', NULL),
	(1, 71, 1, 'act', 1, -7689776348775664726, 0, '["discard",8]', NULL),
	(1, 72, 1, 'act', 2, 2766930712632536006, 0, '["discard",23]', NULL),
	(1, 73, 1, 'act', 0, -744424938703934737, 0, '["discard",21]', NULL),
	(1, 74, 1, 'act', 1, 4366289327609357218, 0, '["discard",2]', NULL),
	(1, 75, 1, 'act', 2, 4783340095753321998, 0, '["discard",0]', NULL);
INSERT INTO "table".journal VALUES
	(1, 76, 1, 'act', 0, -6573407293792193475, 0, '["discard",16]', 'd536ea431e04cdf0da9127baff4615a753fded4cf95ffcdb2532ced2daa9f8c0'),
	(1, 77, 1, 'settled', -1, 0, 0, '{"seq":2,"kind":"hand_end","result":"applied","reason":"","moves":[],"change":[12,-6,-18,12],"money":[1000012,999994,999982,1000012],"short":[],"ratings":[]}', NULL),
	(1, 78, 1, 'settled', -1, 0, 0, '{"seq":3,"kind":"close","result":"applied","reason":"","moves":[],"change":[],"money":[0,0,0,0],"short":[],"ratings":[]}', NULL),
	(9, 1, 1, 'open', -1, 0, 0, '{"players":["load-live-happy_sichuan-2","load-live-happy_sichuan-5","load-live-happy_sichuan-0","load-live-happy_sichuan-3"],"room":{"base":1,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":50,"game":"happy_sichuan","hands":1,"id":"open","idle_seconds":600.0,"lock":"all","min_coins":3000,"name":"\u4e0d\u5c01\u9876","options":{},"players":4,"rated":false,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"happy_sichuan/1"}', NULL),
	(9, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(9, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["0bf7862522b9c34d2afb2c503516f64c106b82b4eb570524eee95c5503e299d5","c77c4dae98043dc9907d5d07347696d1c246c9eb2e60fd4d9eae6abb3dc891cb","637a4f21fc7f3ec6210e8989e457bcaea8c694cccf1b27281949408499a82b67","aed70ee6c8fa4dd89be00b4b63ced2c25c5efdc6f2cc56902af822e0f9d5d33f"],"key":"k1","nonce":"fb28aa8788af1d9eebadfc7d91198dde"}', NULL),
	(9, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"8e181d8b968b03fd43357d42f3d6e960"}', NULL),
	(9, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"34e85f7c07a12adecc91db814958e4ce"}', NULL),
	(9, 6, 1, 'reveal', 2, 0, 0, '{"bytes":"5c99d937d2e87056149673476460e871"}', NULL),
	(9, 7, 1, 'reveal', 3, 0, 0, '{"bytes":"e66a2abcdf1eda5cb7d23ed4e49ee85e"}', NULL),
	(9, 8, 1, 'deal', -1, 0, 0, '{"rules":"happy_sichuan/1"}', NULL),
	(13, 1, 1, 'open', -1, 0, 0, '{"players":["load-live-crazy_duel-0","load-live-crazy_duel-2"],"room":{"base":0,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":0,"game":"crazy_duel","hands":10,"id":"rating","idle_seconds":600.0,"lock":0,"min_coins":0,"name":"\u666e\u901a\u573a","options":{},"players":2,"rated":true,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"crazy_duel/1"}', NULL),
	(10, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(10, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["838df2d36ae1a8713f413609ae12515a5e2ff5c3f80475a20a2b77b5797f38f2","b5eb6db219308f9bf9511f6b70a7cd76a5118518a8442f99afad19609932cac6","688cf3f3d242335846bc4c349deaba2d9c9134dede53c164face078e32fc6ac3","f6f28fefcb5e9cb60a5b9138d7dbc3c72fe7aa8884bdb7cd2e99ce268fd2ece0"],"key":"k1","nonce":"647d1230a942760cb0fdbc39a28d82d3"}', NULL),
	(11, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(11, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["0631f501001fafb63733fd0f255f82db5ddc49bb7bba3771507fb5c5a1474e58","c30697ddc1ee5580a6817da6b5161cdf485f5733e5b0eb4c9b3bdbed417d3020","35b7db66be930b5cda6bcf081a284f1c7e40f6aca738e225f9bbe870b9c3f561","db2835aa5c516219a15e6cdbc8fbacc5a14d70272a9725b979f767560bb535f9"],"key":"k1","nonce":"9bb4f908f1f776d3f0e280ba9c655fec"}', NULL),
	(13, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[]}', NULL),
	(13, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["3f85acabc19e938c10daddefdc0580a7ef0f2c523cd4107243a7be7a6c7733dc","b5f9531144f1020f3b599eb52b4237756e5a868aa13a1ac25911978b14189f57"],"key":"k1","nonce":"e7415d72fbffdfbaba5bdacbd6f355b2"}', NULL),
	(12, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(12, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["86b16c8ef7764aefb07921c6f8f9c69ecd48c17b338c1b202f1377407d48efaa","47bddfc1faf1033ac2adcf371c017b700b3bee8eb1c2d33f1fdaeee06494fc0b","64e34a714539a15802d03d45464b82719d5713ae42bfbe0c1522e491ae0650e5","6c35b3c72299f5fcaf84d40d83208f018e30099ae6b656e2f7df749d3d7765c1"],"key":"k1","nonce":"b9d20eba12011d71a5673a2e365d4d3d"}', NULL),
	(10, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"c97137c2c6c564036b888d7c6d722642"}', NULL),
	(10, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"4e20c33dfd75eafb60fb8872b570fa1d"}', NULL),
	(10, 6, 1, 'reveal', 2, 0, 0, '{"bytes":"1bae1f48322de0a1a39e52d70c191866"}', NULL),
	(10, 7, 1, 'reveal', 3, 0, 0, '{"bytes":"237c55bed113b230a0e51ebe70a4698c"}', NULL),
	(10, 8, 1, 'deal', -1, 0, 0, '{"rules":"crazy_xuezhan/1"}', NULL),
	(10, 1, 1, 'open', -1, 0, 0, '{"players":["load-live-crazy_xuezhan-7","load-live-crazy_xuezhan-4","load-live-crazy_xuezhan-1","load-live-crazy_xuezhan-2"],"room":{"base":1,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":100,"game":"crazy_xuezhan","hands":1,"id":"mayou","idle_seconds":600.0,"lock":"all","min_coins":1000,"name":"\u9ebb\u53cb","options":{},"players":4,"rated":false,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"crazy_xuezhan/1"}', NULL),
	(14, 1, 1, 'open', -1, 0, 0, '{"players":["load-live-crazy_duel-3","load-live-crazy_duel-1"],"room":{"base":0,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":0,"game":"crazy_duel","hands":10,"id":"rating","idle_seconds":600.0,"lock":0,"min_coins":0,"name":"\u666e\u901a\u573a","options":{},"players":2,"rated":true,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"crazy_duel/1"}', NULL),
	(11, 1, 1, 'open', -1, 0, 0, '{"players":["load-live-crazy_xuezhan-6","load-live-crazy_xuezhan-5","load-live-crazy_xuezhan-3","load-live-crazy_xuezhan-0"],"room":{"base":1,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":100,"game":"crazy_xuezhan","hands":1,"id":"mayou","idle_seconds":600.0,"lock":"all","min_coins":1000,"name":"\u9ebb\u53cb","options":{},"players":4,"rated":false,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"crazy_xuezhan/1"}', NULL),
	(15, 1, 1, 'open', -1, 0, 0, '{"players":["load-live-kaxinwu-0","load-live-kaxinwu-7","load-live-kaxinwu-1","load-live-kaxinwu-5"],"room":{"base":20,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":50,"game":"kaxinwu","hands":1,"id":"coins","idle_seconds":600.0,"lock":"all","min_coins":3000,"name":"\u91d1\u5e01\u573a","options":{},"players":4,"rated":false,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"kaxinwu/1"}', NULL),
	(12, 1, 1, 'open', -1, 0, 0, '{"players":["load-live-kaxinwu-3","load-live-kaxinwu-2","load-live-kaxinwu-6","load-live-kaxinwu-4"],"room":{"base":20,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":50,"game":"kaxinwu","hands":1,"id":"coins","idle_seconds":600.0,"lock":"all","min_coins":3000,"name":"\u91d1\u5e01\u573a","options":{},"players":4,"rated":false,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"kaxinwu/1"}', NULL),
	(16, 1, 1, 'open', -1, 0, 0, '{"players":["load-live-happy_sichuan-1","load-live-happy_sichuan-4","load-live-happy_sichuan-6","load-live-happy_sichuan-7"],"room":{"base":1,"bots":{"level":"greedy","pause_ms":0,"wait_seconds":5.0},"break_seconds":0.3,"claim_window_ms":0,"contribution_seconds":1.0,"entry":50,"game":"happy_sichuan","hands":1,"id":"open","idle_seconds":600.0,"lock":"all","min_coins":3000,"name":"\u4e0d\u5c01\u9876","options":{},"players":4,"rated":false,"refill_seconds":0.0,"spectator_delay_seconds":0.0,"turn_seconds":15.0},"rules":"happy_sichuan/1"}', NULL),
	(11, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"fb3fec7c725eb1a52c00ef8072c262e3"}', NULL),
	(11, 6, 1, 'reveal', 2, 0, 0, '{"bytes":"409037adc82f747697fca4f92d7dffcb"}', NULL),
	(11, 7, 1, 'reveal', 3, 0, 0, '{"bytes":"f4274b2e8f52d44fde9449fec7c2779e"}', NULL),
	(11, 8, 1, 'deal', -1, 0, 0, '{"rules":"crazy_xuezhan/1"}', NULL),
	(13, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"dd1d0ffe54b68e9c883e9902248faa31"}', NULL),
	(13, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"305448540e4f657e2a64098143aeecf3"}', NULL),
	(13, 6, 1, 'deal', -1, 0, 0, '{"rules":"crazy_duel/1"}', NULL),
	(12, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"052bf246993749fbeb47b332324df1b1"}', NULL),
	(12, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"f240737cea01674a8294620dc4efbb2a"}', NULL),
	(12, 6, 1, 'reveal', 2, 0, 0, '{"bytes":"883081f99c61ec003b3c32da59b19b0f"}', NULL),
	(12, 7, 1, 'reveal', 3, 0, 0, '{"bytes":"1f63a7454a25e6a5e717a010eb151801"}', NULL),
	(12, 8, 1, 'deal', -1, 0, 0, '{"rules":"kaxinwu/1"}', NULL),
	(14, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[0,0],"short":[],"ratings":[]}', NULL),
	(14, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["8f65c55541c7ac8ce3897f1cd1e10fba353969b909cb042f8355551b20771dab","f48d8c3e4d7a5077402c04c9df71c474f23deb63d3f95eb5e67bd3cbd2ce58ee"],"key":"k1","nonce":"c19197f1d19a5e0924a3437c05456037"}', NULL),
	(15, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(15, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["292b6724b685d3c67cea5eec019b71e2233e0a280cdb3e58bf5824d11c19a370","4963c35fc42173b423a58ab2463106dbecf9e5f04bf1634672a8328d0a1b3fd3","7a6bd4efb41a0c47af51f095f185969146cb3e4107e15570039de7cbfb9cb67b","588b6d77fb08a6e5d7e8229663d5587744b45ca0650107cc718c0b3c5766ed36"],"key":"k1","nonce":"fe14ad38b0084cd05e5c4cb92b228ee8"}', NULL),
	(16, 2, 1, 'settled', -1, 0, 0, '{"seq":1,"kind":"open","result":"applied","reason":"","moves":[],"change":[],"money":[1000000,1000000,1000000,1000000],"short":[],"ratings":[]}', NULL),
	(16, 3, 1, 'commit', -1, 0, 0, '{"hand":1,"hashes":["cca673f49770889cd789df017dd0d5796a99524ccd465797c62e499f6b89e2af","45faf77acfe43a95aa3768caea2abbcff0dd14dcfd0ee53353215f4112d5a5df","6313c7c787352d6dd1e943bdd97ceafdcbaaa5d8f241196fe546559a2989fad2","b71dd73b5c8c31ef9e9a409c6df960728088a1d6f8bafbc640ee84d7c853f242"],"key":"k1","nonce":"2e8419a2c973d78416c63a6814f441c6"}', NULL),
	(14, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"64f6a7a51a16e57685f3a4b6dc32110b"}', NULL),
	(14, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"670197b4d77bd1476596497d822496c4"}', NULL),
	(14, 6, 1, 'deal', -1, 0, 0, '{"rules":"crazy_duel/1"}', NULL),
	(15, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"59e15e75d66abe4f8347e23da827f1d2"}', NULL),
	(15, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"20592d1d08ce7c9976645320349db76f"}', NULL),
	(15, 6, 1, 'reveal', 2, 0, 0, '{"bytes":"e387c2722fa39fa6f59978488fff3346"}', NULL),
	(15, 7, 1, 'reveal', 3, 0, 0, '{"bytes":"cc5b3cbae1084053c5f8f9f83e6a9dad"}', NULL),
	(15, 8, 1, 'deal', -1, 0, 0, '{"rules":"kaxinwu/1"}', NULL),
	(16, 4, 1, 'reveal', 0, 0, 0, '{"bytes":"703f573d0fa8ed3d4a4190d2e1c4119b"}', NULL),
	(16, 5, 1, 'reveal', 1, 0, 0, '{"bytes":"963de78a5004eba68a45c9ca1f1ed6b9"}', NULL),
	(16, 6, 1, 'reveal', 2, 0, 0, '{"bytes":"e817274daeaf1388caaafb072eea5f1c"}', NULL),
	(16, 7, 1, 'reveal', 3, 0, 0, '{"bytes":"83272e7d5207466c8fc177b71cd193d5"}', NULL),
	(16, 8, 1, 'deal', -1, 0, 0, '{"rules":"happy_sichuan/1"}', NULL),
	(9, 9, 1, 'act', 0, -262608248404048301, 0, '["discard",0]', NULL),
	(10, 9, 1, 'act', 0, -6069929321567537759, 0, '["void",0]', NULL),
	(10, 10, 1, 'act', 1, 7164342837264921001, 0, '["void",0]', NULL),
	(10, 11, 1, 'act', 2, 4675380959303391954, 0, '["void",0]', NULL),
	(10, 12, 1, 'act', 3, 8238003020113048388, 0, '["void",2]', NULL),
	(11, 9, 1, 'act', 0, -1722913489676520110, 0, '["void",0]', NULL),
	(11, 10, 1, 'act', 1, -8326283861645179894, 0, '["void",0]', NULL),
	(11, 11, 1, 'act', 2, -7190702290203496726, 0, '["void",1]', NULL),
	(11, 12, 1, 'act', 3, -3549664581735153917, 0, '["void",0]', NULL),
	(13, 7, 1, 'act', 0, -2212770195703567780, 0, '["play",-1,[2,3,4,7,8,8],"pair_row"]', NULL),
	(12, 9, 1, 'act', 1, 1547472496026204554, 0, '["discard",9]', NULL),
	(14, 7, 1, 'act', 0, 3308278590919085722, 0, '["play",-1,[12,13,14],"triple"]', NULL),
	(15, 9, 1, 'act', 0, 1712458188052787272, 0, '["discard",10]', NULL),
	(16, 9, 1, 'act', 0, 8696167928717661541, 0, '["discard",19]', NULL),
	(9, 10, 1, 'act', 1, -4118742819856738163, 0, '["discard",0]', NULL),
	(10, 13, 1, 'act', 0, 980333937209829964, 0, '["exchange",-1,[2,4,7],""]', NULL),
	(10, 14, 1, 'act', 1, -95138068873266811, 0, '["exchange",-1,[4,7,7],""]', NULL),
	(10, 15, 1, 'act', 2, -1879145770398837005, 0, '["exchange",-1,[0,4,6],""]', NULL),
	(10, 16, 1, 'act', 3, 7586666068335311159, 0, '["exchange",-1,[20,24,25],""]', NULL),
	(11, 13, 1, 'act', 0, -5083006088599119169, 0, '["exchange",-1,[1,8,8],""]', NULL),
	(11, 14, 1, 'act', 1, 1182141766926329841, 0, '["exchange",-1,[1,3,5],""]', NULL),
	(11, 15, 1, 'act', 2, -1929990525049963733, 0, '["exchange",-1,[10,11,13],""]', NULL),
	(11, 16, 1, 'act', 3, -373661217272305770, 0, '["exchange",-1,[0,3,4],""]', NULL),
	(13, 8, 1, 'act', 1, 6958026718995855027, 0, '["play",-1,[4,5,6,7],"bomb"]', NULL),
	(12, 10, 1, 'act', 2, -1716330530671976391, 0, '["discard",11]', NULL),
	(14, 8, 1, 'act', 1, -2252340050243266778, 0, '["play",-1,[4,4,5,7],"bomb"]', NULL),
	(15, 10, 1, 'act', 1, -492232102036750593, 0, '["discard",10]', NULL),
	(16, 10, 1, 'act', 1, 807973777635078139, 0, '["discard",18]', NULL),
	(9, 11, 1, 'act', 2, -6012309699522296184, 0, '["discard",9]', NULL),
	(10, 17, 1, 'act', 2, -6157226676710638381, 0, '["discard",6]', NULL),
	(11, 17, 1, 'act', 3, 2575481445728588351, 0, '["discard",1]', NULL),
	(13, 9, 1, 'act', 0, 7133189231243799061, 0, '["play",-1,[24,25,26,26],"bomb"]', NULL),
	(12, 11, 1, 'act', 3, 7951927421061272948, 0, '["pung",-1]', NULL),
	(14, 9, 1, 'act', 0, -6349585089069604206, 0, '["play",-1,[20,20,22,23],"bomb"]', NULL),
	(15, 11, 1, 'act', 2, -3492983593200715418, 0, '["discard",18]', NULL),
	(16, 11, 1, 'act', 2, 819082513358159607, 0, '["discard",18]', NULL),
	(9, 12, 1, 'act', 3, -7121811396590975250, 0, '["discard",9]', NULL),
	(10, 18, 1, 'act', 3, -6758081353356921560, 0, '["discard",1]', NULL);
INSERT INTO "table".journal VALUES
	(11, 18, 1, 'act', 0, -4150838689840852027, 0, '["discard",1]', NULL),
	(13, 10, 1, 'act', 1, 1392061512032930302, 0, '["play",-1,[9,10,10,11,11],"bomb"]', NULL),
	(12, 12, 1, 'act', 3, -1185426704190502548, 0, '["discard",9]', NULL),
	(14, 10, 1, 'act', 1, 1132265590448918098, 0, '["pass",-1]', NULL),
	(15, 12, 1, 'act', 1, -6136688139953336769, 0, '["pung",-1]', NULL),
	(16, 12, 1, 'act', 3, -7493303933604196586, 0, '["discard",12]', NULL),
	(9, 13, 1, 'act', 0, -1778702208785337828, 0, '["discard",1]', NULL),
	(10, 19, 1, 'act', 0, 3802566826406350407, 0, '["discard",4]', NULL),
	(11, 19, 1, 'act', 1, -4036458697410394539, 0, '["discard",7]', NULL),
	(13, 11, 1, 'act', 0, 8629702467301643638, 0, '["play",-1,[12,12,13,13,15],"bomb"]', NULL),
	(12, 13, 1, 'act', 0, -2814953759019714558, 0, '["discard",18]', NULL),
	(14, 11, 1, 'act', 0, 151760529492392629, 0, '["play",-1,[5,7],"pair"]', NULL),
	(15, 13, 1, 'act', 1, 6084361105412830996, 0, '["discard",13]', NULL),
	(16, 13, 1, 'act', 1, 8553448823827978169, 0, '["pass",-1]', NULL),
	(9, 14, 1, 'act', 1, -7309827474861162534, 0, '["discard",2]', NULL),
	(10, 20, 1, 'act', 1, -6554271159979138581, 0, '["discard",0]', NULL),
	(11, 20, 1, 'act', 2, -9024724763594165259, 0, '["discard",15]', NULL),
	(13, 12, 1, 'act', 1, -4647206438584730028, 0, '["pass",-1]', NULL),
	(12, 14, 1, 'act', 1, -2766362265297183933, 0, '["pung",-1]', NULL),
	(14, 12, 1, 'act', 1, -6464071854626522928, 0, '["play",-1,[16,18],"pair"]', NULL),
	(15, 14, 1, 'act', 2, 2504912573311375440, 0, '["discard",26]', NULL),
	(16, 14, 1, 'act', 0, 3936929331720670287, 0, '["discard",3]', NULL),
	(9, 15, 1, 'act', 2, 823740843314084657, 0, '["discard",11]', NULL),
	(10, 21, 1, 'act', 2, 2375077947070941969, 0, '["discard",3]', NULL),
	(11, 21, 1, 'act', 3, 7308273397933143023, 0, '["discard",8]', NULL),
	(13, 13, 1, 'act', 0, 4743415671319179206, 0, '["play",-1,[17,19],"pair"]', NULL),
	(12, 15, 1, 'act', 1, -5123435238218134543, 0, '["discard",13]', NULL),
	(14, 13, 1, 'act', 0, -6200686732301153669, 0, '["play",-1,[26,26],"pair"]', NULL),
	(15, 15, 1, 'act', 0, 9203928062339190892, 0, '["pung",-1]', NULL),
	(16, 15, 1, 'act', 1, 5356271956314461728, 0, '["discard",19]', NULL),
	(9, 16, 1, 'act', 3, 2754578963728758769, 0, '["discard",12]', NULL),
	(10, 22, 1, 'act', 3, -6743008594878956878, 0, '["discard",23]', NULL),
	(11, 22, 1, 'act', 0, -8474824944836200839, 0, '["discard",2]', NULL),
	(13, 14, 1, 'act', 1, -1895208318598291720, 0, '["play",-1,[20,23],"pair"]', NULL),
	(12, 16, 1, 'act', 0, 8156694939129309146, 0, '["pass",-1]', NULL),
	(14, 14, 1, 'act', 1, 8309970357693038938, 0, '["play",-1,[12,13,15,15],"bomb"]', NULL),
	(15, 16, 1, 'act', 0, 7590609635312458962, 0, '["discard",14]', NULL),
	(16, 16, 1, 'act', 2, 1570396279505560777, 0, '["discard",21]', NULL),
	(9, 17, 1, 'act', 0, 5282722256736570345, 0, '["discard",2]', NULL),
	(10, 23, 1, 'act', 0, 3201623939837875415, 0, '["discard",7]', NULL),
	(11, 23, 1, 'act', 1, 6610344267274994942, 0, '["discard",8]', NULL),
	(13, 15, 1, 'act', 0, -4550069392090735202, 0, '["play",-1,[20,21,21,22,22,23],"bomb"]', NULL),
	(12, 17, 1, 'act', 2, -2425535312673971594, 0, '["discard",10]', NULL),
	(14, 15, 1, 'act', 0, -7222982339511977768, 0, '["play",-1,[0,1,1,2,3,3],"bomb"]', NULL),
	(15, 17, 1, 'act', 1, -4306526491138673123, 0, '["discard",10]', NULL),
	(16, 17, 1, 'act', 3, -3058582645531907477, 0, '["discard",15]', NULL),
	(9, 18, 1, 'act', 1, 5910320827555763884, 0, '["discard",8]', NULL),
	(10, 24, 1, 'act', 1, 393645219217154021, 0, '["discard",0]', NULL),
	(11, 24, 1, 'act', 2, 4198348836052774686, 0, '["discard",19]', NULL),
	(13, 16, 1, 'act', 1, 8629833679498996843, 0, '["pass",-1]', NULL),
	(12, 18, 1, 'act', 3, 5759631107725477197, 0, '["discard",18]', NULL),
	(14, 16, 1, 'act', 1, 5918010331617443327, 0, '["play",-1,[24,24,25,25,27,28],"bomb"]', NULL),
	(15, 18, 1, 'act', 2, 261517275350646521, 0, '["discard",20]', NULL),
	(16, 18, 1, 'act', 0, -1196187284747216439, 0, '["discard",19]', NULL),
	(9, 19, 1, 'act', 2, -465395977371246633, 0, '["discard",10]', NULL),
	(10, 25, 1, 'act', 2, 4783870861138162994, 0, '["discard",8]', NULL),
	(11, 25, 1, 'act', 3, 6606897675119312698, 0, '["discard",6]', NULL),
	(13, 17, 1, 'act', 0, -7338700797420881202, 0, '["play",-1,[9,28],"pair"]', '9e2f3de40bc09e6d35e9164d010a3f519699e9baf4f327211fc978c9220e5aed'),
	(12, 19, 1, 'act', 0, -6561481813319438952, 0, '["discard",9]', NULL),
	(13, 18, 1, 'seat', 0, 0, 0, '{"leaving":true,"on_auto":false}', NULL),
	(13, 19, 1, 'seat', 1, 0, 0, '{"leaving":true,"on_auto":false}', NULL),
	(14, 17, 1, 'act', 0, 2360738037417301476, 0, '["play",-1,[16,17,18,19,19,29,29],"bomb"]', NULL),
	(15, 19, 1, 'act', 0, -1621458546084946418, 0, '["win",-1]', NULL),
	(15, 20, 1, 'act', 1, 5848678882713228852, 0, '["win",-1]', 'b7b4ccd886232721e2bf3d9c84221626d6a3f13de6c30749ac5c2a4923242783'),
	(16, 19, 1, 'act', 1, 8340539500335148236, 0, '["discard",23]', NULL),
	(9, 20, 1, 'act', 3, -5343140753645364639, 0, '["discard",14]', NULL),
	(10, 26, 1, 'act', 3, 3365425192857969281, 0, '["discard",13]', NULL),
	(11, 26, 1, 'act', 0, 5667141794365330910, 0, '["discard",3]', NULL),
	(12, 20, 1, 'act', 1, 8811628036046580836, 0, '["discard",10]', NULL),
	(14, 18, 1, 'act', 1, -1295802803890745713, 0, '["pass",-1]', NULL),
	(15, 21, 1, 'act', 2, -7972637952725946119, 0, '["discard",11]', NULL),
	(16, 20, 1, 'act', 2, 8760793162793500176, 0, '["discard",22]', NULL);


--
-- Data for Name: outbox; Type: TABLE DATA; Schema: table; Owner: -
--

INSERT INTO "table".outbox VALUES
	('1a22dd3ecbad0e9230662b7', 1, '{"kind":"open","room":"happy_sichuan/open","seats":[{"player":"load-done-happy_sichuan-0","seat":0},{"player":"load-done-happy_sichuan-3","seat":1},{"player":"load-done-happy_sichuan-2","seat":2},{"player":"load-done-happy_sichuan-1","seat":3}]}', 1796065193.189929, 1, 1796065195.189929, true),
	('1a22dd3ecba55a4867f219a', 1, '{"kind":"open","room":"kaxinwu/coins","seats":[{"player":"load-done-kaxinwu-1","seat":0},{"player":"load-done-kaxinwu-3","seat":1},{"player":"load-done-kaxinwu-0","seat":2},{"player":"load-done-kaxinwu-2","seat":3}]}', 1796065193.202902, 1, 1796065195.202902, true),
	('1a22dd3ecba6ddb48d2e5ee', 1, '{"kind":"open","room":"crazy_duel/rating","seats":[{"player":"load-done-crazy_duel-1","seat":0},{"player":"load-done-crazy_duel-0","seat":1}]}', 1796065193.196935, 1, 1796065195.196935, true),
	('1a22dd3ecbaca468ea67149', 1, '{"kind":"open","room":"crazy_xuezhan/mayou","seats":[{"player":"load-done-crazy_xuezhan-0","seat":0},{"player":"load-done-crazy_xuezhan-3","seat":1},{"player":"load-done-crazy_xuezhan-1","seat":2},{"player":"load-done-crazy_xuezhan-2","seat":3}]}', 1796065193.20308, 1, 1796065195.20308, true),
	('1a22dd3ecba6ddb48d2e5ee', 2, '{"causes":[],"hand":1,"kind":"hand_end","points":[],"rate":0,"rating":[3,-3]}', 1796065193.408669, 1, 1796065195.408675, true),
	('1a22dd3ecba6ddb48d2e5ee', 3, '{"kind":"close","reason":"left"}', 1796065193.431382, 1, 1796065195.431388, true),
	('1a22dd3ecba55a4867f219a', 2, '{"base":20,"cause":"win","claims":[{"multiple":2,"payee":0,"payer":1}],"hand":1,"kind":"stage","stage":0}', 1796065193.558671, 1, 1796065195.558677, true),
	('1a22dd3ecbaca468ea67149', 2, '{"base":1,"cause":"win","claims":[{"multiple":1000,"payee":1,"payer":2},{"multiple":1000,"payee":1,"payer":3},{"multiple":1000,"payee":1,"payer":0}],"hand":1,"kind":"stage","stage":0}', 1796065193.609972, 1, 1796065195.609978, true),
	('1a22dd3ecba55a4867f219a', 3, '{"base":20,"cause":"win","claims":[{"multiple":2,"payee":2,"payer":1}],"hand":1,"kind":"stage","stage":1}', 1796065193.636586, 1, 1796065195.636591, true),
	('1a22dd3ecba55a4867f219a', 4, '{"base":20,"cause":"kong","claims":[{"multiple":2,"payee":2,"payer":3}],"hand":1,"kind":"stage","stage":2}', 1796065193.647267, 1, 1796065195.647273, true),
	('1a22dd3ecba55a4867f219a', 5, '{"base":20,"cause":"not_ready","claims":[{"multiple":2,"payee":0,"payer":1},{"multiple":2,"payee":2,"payer":1},{"multiple":2,"payee":0,"payer":3},{"multiple":2,"payee":2,"payer":3}],"hand":1,"kind":"stage","stage":3}', 1796065193.647291, 1, 1796065195.647291, true),
	('1a22dd3ecba55a4867f219a', 6, '{"kind":"close","reason":"finished"}', 1796065193.647295, 1, 1796065195.647295, true),
	('1a22dd3ecbaca468ea67149', 3, '{"base":1,"cause":"win","claims":[{"multiple":1,"payee":0,"payer":2}],"hand":1,"kind":"stage","stage":1}', 1796065193.791549, 1, 1796065195.791555, true),
	('1a22dd3ecbaca468ea67149', 4, '{"base":1,"cause":"win","claims":[{"multiple":10,"payee":2,"payer":3}],"hand":1,"kind":"stage","stage":2}', 1796065193.816119, 1, 1796065195.816125, true),
	('1a22dd3ecbaca468ea67149', 5, '{"kind":"close","reason":"finished"}', 1796065193.816145, 1, 1796065195.816145, true),
	('1a22dd3ecbad0e9230662b7', 2, '{"causes":[{"cause":"kong","claims":[{"multiple":6,"payee":2,"payer":3}]},{"cause":"win","claims":[{"multiple":12,"payee":3,"payer":2}]},{"cause":"kong","claims":[{"multiple":6,"payee":1,"payer":2}]},{"cause":"not_ready","claims":[{"multiple":6,"payee":0,"payer":1},{"multiple":6,"payee":0,"payer":2}]},{"cause":"refund","claims":[{"multiple":6,"payee":3,"payer":2},{"multiple":6,"payee":2,"payer":1}]}],"hand":1,"kind":"hand_end","points":[12,-6,-18,12],"rate":1,"rating":[]}', 1796065193.964545, 1, 1796065195.964552, true),
	('1a22dd3ecbad0e9230662b7', 3, '{"kind":"close","reason":"finished"}', 1796065193.964575, 1, 1796065195.964576, true),
	('1a22dd3f4f497684824ae2f', 1, '{"kind":"open","room":"happy_sichuan/open","seats":[{"player":"load-live-happy_sichuan-2","seat":0},{"player":"load-live-happy_sichuan-5","seat":1},{"player":"load-live-happy_sichuan-0","seat":2},{"player":"load-live-happy_sichuan-3","seat":3}]}', 1796065195.331189, 1, 1796065197.331189, true),
	('1a22dd3f51f8ac6363a0ca5', 1, '{"kind":"open","room":"crazy_xuezhan/mayou","seats":[{"player":"load-live-crazy_xuezhan-7","seat":0},{"player":"load-live-crazy_xuezhan-4","seat":1},{"player":"load-live-crazy_xuezhan-1","seat":2},{"player":"load-live-crazy_xuezhan-2","seat":3}]}', 1796065195.398054, 1, 1796065197.398054, true),
	('1a22dd3f5400aeb23c7a4d1', 1, '{"kind":"open","room":"crazy_xuezhan/mayou","seats":[{"player":"load-live-crazy_xuezhan-6","seat":0},{"player":"load-live-crazy_xuezhan-5","seat":1},{"player":"load-live-crazy_xuezhan-3","seat":2},{"player":"load-live-crazy_xuezhan-0","seat":3}]}', 1796065195.409375, 1, 1796065197.409375, true),
	('1a22dd3f540112f1b4b384a', 1, '{"kind":"open","room":"crazy_duel/rating","seats":[{"player":"load-live-crazy_duel-0","seat":0},{"player":"load-live-crazy_duel-2","seat":1}]}', 1796065195.442019, 1, 1796065197.442019, true),
	('1a22dd3f54090bfb85ae689', 1, '{"kind":"open","room":"kaxinwu/coins","seats":[{"player":"load-live-kaxinwu-3","seat":0},{"player":"load-live-kaxinwu-2","seat":1},{"player":"load-live-kaxinwu-6","seat":2},{"player":"load-live-kaxinwu-4","seat":3}]}', 1796065195.4154, 1, 1796065197.4154, true),
	('1a22dd3f57e03cad8e295fd', 1, '{"kind":"open","room":"crazy_duel/rating","seats":[{"player":"load-live-crazy_duel-3","seat":0},{"player":"load-live-crazy_duel-1","seat":1}]}', 1796065195.445346, 1, 1796065197.445346, true),
	('1a22dd3f57e03cf2559d386', 1, '{"kind":"open","room":"kaxinwu/coins","seats":[{"player":"load-live-kaxinwu-0","seat":0},{"player":"load-live-kaxinwu-7","seat":1},{"player":"load-live-kaxinwu-1","seat":2},{"player":"load-live-kaxinwu-5","seat":3}]}', 1796065195.452408, 1, 1796065197.452408, true),
	('1a22dd3f57eefab8b6f72bd', 1, '{"kind":"open","room":"happy_sichuan/open","seats":[{"player":"load-live-happy_sichuan-1","seat":0},{"player":"load-live-happy_sichuan-4","seat":1},{"player":"load-live-happy_sichuan-6","seat":2},{"player":"load-live-happy_sichuan-7","seat":3}]}', 1796065195.453069, 1, 1796065197.453069, true),
	('1a22dd3f540112f1b4b384a', 2, '{"causes":[],"hand":1,"kind":"hand_end","points":[],"rate":0,"rating":[6,-6]}', 1796065201.086132, 1, 1796065203.086138, false),
	('1a22dd3f57e03cf2559d386', 2, '{"base":20,"cause":"win","claims":[{"multiple":2,"payee":0,"payer":2},{"multiple":2,"payee":1,"payer":2}],"hand":1,"kind":"stage","stage":0}', 1796065201.196966, 1, 1796065203.196973, false);


--
-- Data for Name: servers; Type: TABLE DATA; Schema: table; Owner: -
--

INSERT INTO "table".servers VALUES
	('table-1', '127.0.0.1:27174', 1, 20000, 8, 1796065206.040499);


--
-- Data for Name: tables; Type: TABLE DATA; Schema: table; Owner: -
--

INSERT INTO "table".tables VALUES
	(2, '1a22dd3ecba6ddb48d2e5ee', 'crazy_duel/rating', 'table-1', 1, 1, 'closed', 1796065193.196935, '["crazy_duel/rating",["load-done-crazy_duel-1","load-done-crazy_duel-0"]]'),
	(3, '1a22dd3ecba55a4867f219a', 'kaxinwu/coins', 'table-1', 1, 1, 'closed', 1796065193.202902, '["kaxinwu/coins",["load-done-kaxinwu-1","load-done-kaxinwu-3","load-done-kaxinwu-0","load-done-kaxinwu-2"]]'),
	(4, '1a22dd3ecbaca468ea67149', 'crazy_xuezhan/mayou', 'table-1', 1, 1, 'closed', 1796065193.20308, '["crazy_xuezhan/mayou",["load-done-crazy_xuezhan-0","load-done-crazy_xuezhan-3","load-done-crazy_xuezhan-1","load-done-crazy_xuezhan-2"]]'),
	(1, '1a22dd3ecbad0e9230662b7', 'happy_sichuan/open', 'table-1', 1, 1, 'closed', 1796065193.189929, '["happy_sichuan/open",["load-done-happy_sichuan-0","load-done-happy_sichuan-3","load-done-happy_sichuan-2","load-done-happy_sichuan-1"]]'),
	(9, '1a22dd3f4f497684824ae2f', 'happy_sichuan/open', 'table-1', 1, 1, 'open', 1796065195.331189, '["happy_sichuan/open",["load-live-happy_sichuan-2","load-live-happy_sichuan-5","load-live-happy_sichuan-0","load-live-happy_sichuan-3"]]'),
	(10, '1a22dd3f51f8ac6363a0ca5', 'crazy_xuezhan/mayou', 'table-1', 1, 1, 'open', 1796065195.398054, '["crazy_xuezhan/mayou",["load-live-crazy_xuezhan-7","load-live-crazy_xuezhan-4","load-live-crazy_xuezhan-1","load-live-crazy_xuezhan-2"]]'),
	(11, '1a22dd3f5400aeb23c7a4d1', 'crazy_xuezhan/mayou', 'table-1', 1, 1, 'open', 1796065195.409375, '["crazy_xuezhan/mayou",["load-live-crazy_xuezhan-6","load-live-crazy_xuezhan-5","load-live-crazy_xuezhan-3","load-live-crazy_xuezhan-0"]]'),
	(12, '1a22dd3f54090bfb85ae689', 'kaxinwu/coins', 'table-1', 1, 1, 'open', 1796065195.4154, '["kaxinwu/coins",["load-live-kaxinwu-3","load-live-kaxinwu-2","load-live-kaxinwu-6","load-live-kaxinwu-4"]]'),
	(13, '1a22dd3f540112f1b4b384a', 'crazy_duel/rating', 'table-1', 1, 1, 'open', 1796065195.442019, '["crazy_duel/rating",["load-live-crazy_duel-0","load-live-crazy_duel-2"]]'),
	(14, '1a22dd3f57e03cad8e295fd', 'crazy_duel/rating', 'table-1', 1, 1, 'open', 1796065195.445346, '["crazy_duel/rating",["load-live-crazy_duel-3","load-live-crazy_duel-1"]]'),
	(15, '1a22dd3f57e03cf2559d386', 'kaxinwu/coins', 'table-1', 1, 1, 'open', 1796065195.452408, '["kaxinwu/coins",["load-live-kaxinwu-0","load-live-kaxinwu-7","load-live-kaxinwu-1","load-live-kaxinwu-5"]]'),
	(16, '1a22dd3f57eefab8b6f72bd', 'happy_sichuan/open', 'table-1', 1, 1, 'open', 1796065195.453069, '["happy_sichuan/open",["load-live-happy_sichuan-1","load-live-happy_sichuan-4","load-live-happy_sichuan-6","load-live-happy_sichuan-7"]]');


--
-- Name: operator_actions_id_seq; Type: SEQUENCE SET; Schema: settlement; Owner: -
--

SELECT pg_catalog.setval('settlement.operator_actions_id_seq', 1, false);


--
-- Name: transfer_ids; Type: SEQUENCE SET; Schema: settlement; Owner: -
--

SELECT pg_catalog.setval('settlement.transfer_ids', 112, true);


--
-- Name: tables_num_seq; Type: SEQUENCE SET; Schema: table; Owner: -
--

SELECT pg_catalog.setval('"table".tables_num_seq', 16, true);


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: matchmaking; Owner: -
--

ALTER TABLE ONLY matchmaking.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: matches matches_pkey; Type: CONSTRAINT; Schema: matchmaking; Owner: -
--

ALTER TABLE ONLY matchmaking.matches
    ADD CONSTRAINT matches_pkey PRIMARY KEY (id);


--
-- Name: room_leases room_leases_pkey; Type: CONSTRAINT; Schema: matchmaking; Owner: -
--

ALTER TABLE ONLY matchmaking.room_leases
    ADD CONSTRAINT room_leases_pkey PRIMARY KEY (room);


--
-- Name: tickets tickets_key; Type: CONSTRAINT; Schema: matchmaking; Owner: -
--

ALTER TABLE ONLY matchmaking.tickets
    ADD CONSTRAINT tickets_key UNIQUE (player, request_key);


--
-- Name: tickets tickets_pkey; Type: CONSTRAINT; Schema: matchmaking; Owner: -
--

ALTER TABLE ONLY matchmaking.tickets
    ADD CONSTRAINT tickets_pkey PRIMARY KEY (id);


--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (name);


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: attempts attempts_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (table_id, seq);


--
-- Name: dead_letters dead_letters_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (table_id, seq, reason);


--
-- Name: entries entries_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (id);


--
-- Name: holds holds_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (match_id, seat);


--
-- Name: items items_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (table_id, seq);


--
-- Name: operator_actions operator_actions_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.operator_actions
    ADD CONSTRAINT operator_actions_pkey PRIMARY KEY (id);


--
-- Name: rating_changes rating_changes_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.rating_changes
    ADD CONSTRAINT rating_changes_pkey PRIMARY KEY (table_id, seq, player);


--
-- Name: ratings ratings_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.ratings
    ADD CONSTRAINT ratings_pkey PRIMARY KEY (player, game);


--
-- Name: requests requests_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (key);


--
-- Name: tables tables_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.tables
    ADD CONSTRAINT tables_pkey PRIMARY KEY (id);


--
-- Name: transfers transfers_pkey; Type: CONSTRAINT; Schema: settlement; Owner: -
--

ALTER TABLE ONLY settlement.transfers
    ADD CONSTRAINT transfers_pkey PRIMARY KEY (id);


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: table; Owner: -
--

ALTER TABLE ONLY "table".alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: journal journal_pkey; Type: CONSTRAINT; Schema: table; Owner: -
--

ALTER TABLE ONLY "table".journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (table_num, seq);


--
-- Name: outbox outbox_pkey; Type: CONSTRAINT; Schema: table; Owner: -
--

ALTER TABLE ONLY "table".outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (table_id, seq);


--
-- Name: servers servers_pkey; Type: CONSTRAINT; Schema: table; Owner: -
--

ALTER TABLE ONLY "table".servers
    ADD CONSTRAINT servers_pkey PRIMARY KEY (name);


--
-- Name: tables tables_id_key; Type: CONSTRAINT; Schema: table; Owner: -
--

ALTER TABLE ONLY "table".tables
    ADD CONSTRAINT tables_id_key UNIQUE (id);


--
-- Name: tables tables_pkey; Type: CONSTRAINT; Schema: table; Owner: -
--

ALTER TABLE ONLY "table".tables
    ADD CONSTRAINT tables_pkey PRIMARY KEY (num);


--
-- Name: matches_due; Type: INDEX; Schema: matchmaking; Owner: -
--

CREATE INDEX matches_due ON matchmaking.matches USING btree (next_at) WHERE ((state)::text = ANY ((ARRAY['holding'::character varying, 'opening'::character varying, 'releasing'::character varying, 'seated'::character varying])::text[]));


--
-- Name: tickets_active; Type: INDEX; Schema: matchmaking; Owner: -
--

CREATE UNIQUE INDEX tickets_active ON matchmaking.tickets USING btree (player) WHERE ((state)::text = ANY ((ARRAY['waiting'::character varying, 'seating'::character varying, 'seated'::character varying])::text[]));


--
-- Name: tickets_ended; Type: INDEX; Schema: matchmaking; Owner: -
--

CREATE INDEX tickets_ended ON matchmaking.tickets USING btree (ended_at) WHERE (ended_at IS NOT NULL);


--
-- Name: tickets_match; Type: INDEX; Schema: matchmaking; Owner: -
--

CREATE INDEX tickets_match ON matchmaking.tickets USING btree (match_id);


--
-- Name: tickets_waiting; Type: INDEX; Schema: matchmaking; Owner: -
--

CREATE INDEX tickets_waiting ON matchmaking.tickets USING btree (room, created_at) WHERE ((state)::text = 'waiting'::text);


--
-- Name: accounts_with_coins; Type: INDEX; Schema: settlement; Owner: -
--

CREATE INDEX accounts_with_coins ON settlement.accounts USING btree (player) WHERE ((player IS NOT NULL) AND (balance > 0));


--
-- Name: entries_of_player; Type: INDEX; Schema: settlement; Owner: -
--

CREATE INDEX entries_of_player ON settlement.entries USING btree (player, id) WHERE (player IS NOT NULL);


--
-- Name: holds_of_table; Type: INDEX; Schema: settlement; Owner: -
--

CREATE INDEX holds_of_table ON settlement.holds USING btree (table_id);


--
-- Name: items_unsettled; Type: INDEX; Schema: settlement; Owner: -
--

CREATE INDEX items_unsettled ON settlement.items USING btree (stored_at) WHERE (state = 'stored'::text);


--
-- Name: one_occupancy; Type: INDEX; Schema: settlement; Owner: -
--

CREATE UNIQUE INDEX one_occupancy ON settlement.holds USING btree (player) WHERE ((player IS NOT NULL) AND (state = ANY (ARRAY['held'::text, 'bound'::text])));


--
-- Name: tables_stuck; Type: INDEX; Schema: settlement; Owner: -
--

CREATE INDEX tables_stuck ON settlement.tables USING btree (id) WHERE (stuck <> ''::text);


--
-- Name: outbox_not_done; Type: INDEX; Schema: table; Owner: -
--

CREATE INDEX outbox_not_done ON "table".outbox USING btree (table_id, seq) WHERE (NOT done);


--
-- Name: tables_by_owner; Type: INDEX; Schema: table; Owner: -
--

CREATE INDEX tables_by_owner ON "table".tables USING btree (owner, state);


--
-- Name: entries entries_append_only; Type: TRIGGER; Schema: settlement; Owner: -
--

CREATE TRIGGER entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON settlement.entries FOR EACH STATEMENT EXECUTE FUNCTION settlement.entries_append_only();


--
-- Name: items items_settled_once; Type: TRIGGER; Schema: settlement; Owner: -
--

CREATE TRIGGER items_settled_once BEFORE DELETE OR UPDATE ON settlement.items FOR EACH ROW WHEN ((old.state <> 'stored'::text)) EXECUTE FUNCTION settlement.items_settled_once();


--
-- Name: operator_actions operator_actions_append_only; Type: TRIGGER; Schema: settlement; Owner: -
--

CREATE TRIGGER operator_actions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON settlement.operator_actions FOR EACH STATEMENT EXECUTE FUNCTION settlement.operator_actions_append_only();


--
-- Name: rating_changes rating_changes_append_only; Type: TRIGGER; Schema: settlement; Owner: -
--

CREATE TRIGGER rating_changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON settlement.rating_changes FOR EACH STATEMENT EXECUTE FUNCTION settlement.rating_changes_append_only();


--
-- Name: requests requests_append_only; Type: TRIGGER; Schema: settlement; Owner: -
--

CREATE TRIGGER requests_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON settlement.requests FOR EACH STATEMENT EXECUTE FUNCTION settlement.requests_append_only();


--
-- Name: transfers transfers_append_only; Type: TRIGGER; Schema: settlement; Owner: -
--

CREATE TRIGGER transfers_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON settlement.transfers FOR EACH STATEMENT EXECUTE FUNCTION settlement.transfers_append_only();


--
-- PostgreSQL database dump complete
--


