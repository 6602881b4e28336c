BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE matches (
	id VARCHAR(64) NOT NULL, 
	room VARCHAR(80) NOT NULL, 
	players INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	created_at DOUBLE NOT NULL, 
	since DOUBLE NOT NULL, 
	next_at DOUBLE NOT NULL, 
	attempts INTEGER NOT NULL, 
	server VARCHAR(255) NOT NULL, 
	ended_at DOUBLE, joins VARCHAR(64) DEFAULT '' NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "matches" VALUES('1a22dd39612a60ebe8c2e65','crazy_duel/rating',2,'over','',1.79606517096238398555e+09,1.79606517203489255904e+09,1.79606518203489255907e+09,0,'127.0.0.1:11000',1.79606517203489255904e+09,'');
INSERT INTO "matches" VALUES('1a22dd39612fedea8c27272','crazy_xuezhan/mayou',4,'over','',1.79606517096238398555e+09,1.79606517228119111056e+09,1.79606518228119111063e+09,0,'127.0.0.1:11000',1.79606517228119111056e+09,'');
INSERT INTO "matches" VALUES('1a22dd39612a86105e69a26','kaxinwu/coins',4,'over','',1.79606517096238398555e+09,1796065172.28408,1796065182.28408,0,'127.0.0.1:11000',1796065172.28408,'');
INSERT INTO "matches" VALUES('1a22dd39635047641fb6d0b','happy_sichuan/open',4,'over','',1.79606517099731492997e+09,1.79606517228573799136e+09,1.7960651822857379913e+09,0,'127.0.0.1:11000',1.79606517228573799136e+09,'');
INSERT INTO "matches" VALUES('1a22dd39de6f55cb87fbc14','happy_sichuan/open',4,'seated','',1.79606517296688961982e+09,1.79606517303964638714e+09,1.79606519462421488761e+09,2,'127.0.0.1:11000',NULL,'');
INSERT INTO "matches" VALUES('1a22dd39e103523af871eb0','crazy_duel/rating',2,'seated','',1.7960651730087990761e+09,1.79606517306077194213e+09,1.79606517849518036843e+09,1,'127.0.0.1:11000',NULL,'');
INSERT INTO "matches" VALUES('1a22dd39e10431faef6bfd7','crazy_duel/rating',2,'seated','',1.7960651730087990761e+09,1.79606517307473158837e+09,1.7960651917284052372e+09,2,'127.0.0.1:11000',NULL,'');
INSERT INTO "matches" VALUES('1a22dd39e104f2a24a4e831','crazy_xuezhan/mayou',4,'seated','',1.7960651730087990761e+09,1.796065173100625515e+09,1.79606517825130248067e+09,1,'127.0.0.1:11000',NULL,'');
INSERT INTO "matches" VALUES('1a22dd39e108187496ea4f4','crazy_xuezhan/mayou',4,'seated','',1.7960651730087990761e+09,1.79606517310809111597e+09,1.79606517846822667122e+09,1,'127.0.0.1:11000',NULL,'');
INSERT INTO "matches" VALUES('1a22dd39e103fdd4c803855','happy_sichuan/open',4,'seated','',1.7960651730087990761e+09,1.79606517311717057226e+09,1.79606519198456215857e+09,2,'127.0.0.1:11000',NULL,'');
INSERT INTO "matches" VALUES('1a22dd39e10e08a30617c3e','kaxinwu/coins',4,'seated','',1.7960651730087990761e+09,1.79606517312066483495e+09,1.7960651783933866024e+09,1,'127.0.0.1:11000',NULL,'');
INSERT INTO "matches" VALUES('1a22dd39e10a5d419f2a668','kaxinwu/coins',4,'seated','',1.7960651730087990761e+09,1.79606517312545299527e+09,1.796065198044978857e+09,2,'127.0.0.1:11000',NULL,'');
CREATE TABLE room_leases (
	room VARCHAR(80) NOT NULL, 
	holder VARCHAR(64) NOT NULL, 
	until DOUBLE NOT NULL, 
	PRIMARY KEY (room)
);
INSERT INTO "room_leases" VALUES('crazy_xuezhan/mayou','eded287c81044151',1.79606517594700145724e+09);
INSERT INTO "room_leases" VALUES('happy_sichuan/open','eded287c81044151',1.79606517594700145724e+09);
INSERT INTO "room_leases" VALUES('kaxinwu/coins','eded287c81044151',1.79606517594700145724e+09);
INSERT INTO "room_leases" VALUES('crazy_duel/rating','eded287c81044151',1.79606517596238398552e+09);
CREATE TABLE tickets (
	id VARCHAR(64) NOT NULL, 
	player VARCHAR(64) NOT NULL, 
	room VARCHAR(80) NOT NULL, 
	request_key VARCHAR(128), 
	state VARCHAR(16) NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	created_at DOUBLE NOT NULL, 
	ready_at DOUBLE NOT NULL, 
	busy_since DOUBLE, 
	returns INTEGER NOT NULL, 
	match_id VARCHAR(64), 
	seat INTEGER, 
	ended_at DOUBLE, 
	PRIMARY KEY (id), 
	CONSTRAINT tickets_key UNIQUE (player, request_key)
);
INSERT INTO "tickets" VALUES('tffb911874b4afe6285a28033bf02d963','load-done-kaxinwu-3','kaxinwu/coins','load-done-kaxinwu-3-1-e4d04873','over','',1.79606517093572330473e+09,1.79606517093572330473e+09,NULL,0,'1a22dd39612a86105e69a26',0,1796065172.28408);
INSERT INTO "tickets" VALUES('t4a6643030e1643a9e0db137ebb8e8e48','load-done-happy_sichuan-1','happy_sichuan/open','load-done-happy_sichuan-1-1-d589292a','over','',1.79606517094314551349e+09,1.79606517094314551349e+09,NULL,0,'1a22dd39635047641fb6d0b',0,1.79606517228573799136e+09);
INSERT INTO "tickets" VALUES('tbc618ac8677b70e1651f6c55e759d29c','load-done-crazy_xuezhan-2','crazy_xuezhan/mayou','load-done-crazy_xuezhan-2-1-a0e02c3c','over','',1796065170.94329,1796065170.94329,NULL,0,'1a22dd39612fedea8c27272',0,1.79606517228119111056e+09);
INSERT INTO "tickets" VALUES('t56a55333bb0917f6385c62b3f9304f60','load-done-crazy_xuezhan-3','crazy_xuezhan/mayou','load-done-crazy_xuezhan-3-1-b7a08a14','over','',1.79606517094332194324e+09,1.79606517094332194324e+09,NULL,0,'1a22dd39612fedea8c27272',1,1.79606517228119111056e+09);
INSERT INTO "tickets" VALUES('tc120f1a451ca69e975b63ea6bd5f1b6d','load-done-kaxinwu-1','kaxinwu/coins','load-done-kaxinwu-1-1-deb20115','over','',1.79606517094830608364e+09,1.79606517094830608364e+09,NULL,0,'1a22dd39612a86105e69a26',1,1796065172.28408);
INSERT INTO "tickets" VALUES('tf26c3946d581756f06b935dae5716c83','load-done-crazy_xuezhan-0','crazy_xuezhan/mayou','load-done-crazy_xuezhan-0-1-ec6c5f5e','over','',1.79606517094936823843e+09,1.79606517094936823843e+09,NULL,0,'1a22dd39612fedea8c27272',2,1.79606517228119111056e+09);
INSERT INTO "tickets" VALUES('tbf59cf61ee86bd9554b935b59f97ecb0','load-done-happy_sichuan-0','happy_sichuan/open','load-done-happy_sichuan-0-1-caf28410','over','',1.79606517095078444478e+09,1.79606517095078444478e+09,NULL,0,'1a22dd39635047641fb6d0b',1,1.79606517228573799136e+09);
INSERT INTO "tickets" VALUES('te576394d2c4cf9a196b670b3108064d6','load-done-crazy_xuezhan-1','crazy_xuezhan/mayou','load-done-crazy_xuezhan-1-1-c45dd4f5','over','',1.79606517095086264611e+09,1.79606517095086264611e+09,NULL,0,'1a22dd39612fedea8c27272',3,1.79606517228119111056e+09);
INSERT INTO "tickets" VALUES('t867ca10fce6ed462f181b5b102fe7229','load-done-kaxinwu-0','kaxinwu/coins','load-done-kaxinwu-0-1-8ea31ef5','over','',1.79606517095456719394e+09,1.79606517095456719394e+09,NULL,0,'1a22dd39612a86105e69a26',2,1796065172.28408);
INSERT INTO "tickets" VALUES('ta1a1b8ea19d8495499be30522eabbc66','load-done-happy_sichuan-2','happy_sichuan/open','load-done-happy_sichuan-2-1-b681041b','over','',1.79606517095656800266e+09,1.79606517095656800266e+09,NULL,0,'1a22dd39635047641fb6d0b',2,1.79606517228573799136e+09);
INSERT INTO "tickets" VALUES('tbeb00b9cfb8b29be6647b31eb606f1ba','load-done-kaxinwu-2','kaxinwu/coins','load-done-kaxinwu-2-1-2e0add44','over','',1.79606517095699858661e+09,1.79606517095699858661e+09,NULL,0,'1a22dd39612a86105e69a26',3,1796065172.28408);
INSERT INTO "tickets" VALUES('t7f50f9c8f59485dcc7aa5186e15b0d76','load-done-crazy_duel-0','crazy_duel/rating','load-done-crazy_duel-0-1-1bdf47df','over','',1.79606517096070575712e+09,1.79606517096070575712e+09,NULL,0,'1a22dd39612a60ebe8c2e65',0,1.79606517203489255904e+09);
INSERT INTO "tickets" VALUES('te9d2a96e7a89941fcb3259e04658ed09','load-done-crazy_duel-1','crazy_duel/rating','load-done-crazy_duel-1-1-11559b00','over','',1.79606517096167516713e+09,1.79606517096167516713e+09,NULL,0,'1a22dd39612a60ebe8c2e65',1,1.79606517203489255904e+09);
INSERT INTO "tickets" VALUES('tccf81834036de6c2fe4b39637aa99a22','load-done-happy_sichuan-3','happy_sichuan/open','load-done-happy_sichuan-3-1-a44e62a9','over','',1.79606517096247172353e+09,1.79606517096247172353e+09,NULL,0,'1a22dd39635047641fb6d0b',3,1.79606517228573799136e+09);
INSERT INTO "tickets" VALUES('t8d163e31678fc510cd78a731b4502f32','load-live-happy_sichuan-2','happy_sichuan/open','load-live-happy_sichuan-2-1-25388641','seated','',1.7960651729486031532e+09,1.7960651729486031532e+09,NULL,0,'1a22dd39de6f55cb87fbc14',0,NULL);
INSERT INTO "tickets" VALUES('t4f3561c7121e2b75be01942c97697fcb','load-live-happy_sichuan-4','happy_sichuan/open','load-live-happy_sichuan-4-1-543af5ca','seated','',1.79606517294947075845e+09,1.79606517294947075845e+09,NULL,0,'1a22dd39de6f55cb87fbc14',1,NULL);
INSERT INTO "tickets" VALUES('t1f209e6addcb5bb5530ad4e43db5ff81','load-live-kaxinwu-4','kaxinwu/coins','load-live-kaxinwu-4-1-51018a7e','seated','',1.79606517295340919497e+09,1.79606517295340919497e+09,NULL,0,'1a22dd39e10e08a30617c3e',0,NULL);
INSERT INTO "tickets" VALUES('t5908abb5814be9e494931e7af2770f3c','load-live-happy_sichuan-6','happy_sichuan/open','load-live-happy_sichuan-6-1-71462f64','seated','',1.79606517295347285268e+09,1.79606517295347285268e+09,NULL,0,'1a22dd39de6f55cb87fbc14',2,NULL);
INSERT INTO "tickets" VALUES('t26039df8f08fccdf1c22e0a53c390540','load-live-kaxinwu-2','kaxinwu/coins','load-live-kaxinwu-2-1-4280c6fd','seated','',1.79606517295739269261e+09,1.79606517295739269261e+09,NULL,0,'1a22dd39e10e08a30617c3e',1,NULL);
INSERT INTO "tickets" VALUES('tbaf19566578e7558b783340ee7219fae','load-live-happy_sichuan-0','happy_sichuan/open','load-live-happy_sichuan-0-1-82d73371','seated','',1.79606517295774698256e+09,1.79606517295774698256e+09,NULL,0,'1a22dd39de6f55cb87fbc14',3,NULL);
INSERT INTO "tickets" VALUES('tb637b13c47b9e52c7f487e01e58c1619','load-live-happy_sichuan-1','happy_sichuan/open','load-live-happy_sichuan-1-1-b2224519','seated','',1.79606517296004223821e+09,1.79606517296004223821e+09,NULL,0,'1a22dd39e103fdd4c803855',0,NULL);
INSERT INTO "tickets" VALUES('t6d91e45070e4ee416a0a155f14a7926e','load-live-happy_sichuan-5','happy_sichuan/open','load-live-happy_sichuan-5-1-e01e0182','seated','',1.7960651729657258987e+09,1.7960651729657258987e+09,NULL,0,'1a22dd39e103fdd4c803855',1,NULL);
INSERT INTO "tickets" VALUES('t6614ba3872c4efad7bb07972e50de725','load-live-crazy_duel-3','crazy_duel/rating','load-live-crazy_duel-3-1-b1242a14','seated','',1796065172.96584,1796065172.96584,NULL,0,'1a22dd39e103523af871eb0',0,NULL);
INSERT INTO "tickets" VALUES('t703514b44c1fe4263a11ce8b429a6a6c','load-live-kaxinwu-6','kaxinwu/coins','load-live-kaxinwu-6-1-fe75ac10','seated','',1.79606517296701860423e+09,1.79606517296701860423e+09,NULL,0,'1a22dd39e10e08a30617c3e',2,NULL);
INSERT INTO "tickets" VALUES('t89859a1306d6fbeaac69fa339e3e43f0','load-live-crazy_xuezhan-4','crazy_xuezhan/mayou','load-live-crazy_xuezhan-4-1-82a44a9b','seated','',1.79606517296790218355e+09,1.79606517296790218355e+09,NULL,0,'1a22dd39e104f2a24a4e831',0,NULL);
INSERT INTO "tickets" VALUES('t634025080e9b3fcfff7349037bab6871','load-live-kaxinwu-7','kaxinwu/coins','load-live-kaxinwu-7-1-48180dfe','seated','',1.79606517296812629694e+09,1.79606517296812629694e+09,NULL,0,'1a22dd39e10e08a30617c3e',3,NULL);
INSERT INTO "tickets" VALUES('t0b2e4b96a6a5bdec1365f242dfd4a5a2','load-live-kaxinwu-0','kaxinwu/coins','load-live-kaxinwu-0-1-72444084','seated','',1.79606517297307944304e+09,1.79606517297307944304e+09,NULL,0,'1a22dd39e10a5d419f2a668',0,NULL);
INSERT INTO "tickets" VALUES('tdf200ef9d29a52c036ab6bc093d17a79','load-live-crazy_duel-0','crazy_duel/rating','load-live-crazy_duel-0-1-a0775623','seated','',1.79606517297526073451e+09,1.79606517297526073451e+09,NULL,0,'1a22dd39e103523af871eb0',1,NULL);
INSERT INTO "tickets" VALUES('t179b40b7f0e6d74d433166fa9dab654a','load-live-crazy_xuezhan-5','crazy_xuezhan/mayou','load-live-crazy_xuezhan-5-1-6af6d078','seated','',1.79606517297544193267e+09,1.79606517297544193267e+09,NULL,0,'1a22dd39e104f2a24a4e831',1,NULL);
INSERT INTO "tickets" VALUES('t57a0d0f79249bdd49b002471f84e3400','load-live-happy_sichuan-3','happy_sichuan/open','load-live-happy_sichuan-3-1-15763f8c','seated','',1.79606517297548341749e+09,1.79606517297548341749e+09,NULL,0,'1a22dd39e103fdd4c803855',2,NULL);
INSERT INTO "tickets" VALUES('t4ac56958878f6bc8b08abe4e7daf259c','load-live-kaxinwu-3','kaxinwu/coins','load-live-kaxinwu-3-1-7743195d','seated','',1.79606517298156142235e+09,1.79606517298156142235e+09,NULL,0,'1a22dd39e10a5d419f2a668',1,NULL);
INSERT INTO "tickets" VALUES('t6e338d838837ed5aa6a06ae3d91e9813','load-live-crazy_duel-2','crazy_duel/rating','load-live-crazy_duel-2-1-a0e58830','seated','',1.79606517298332691188e+09,1.79606517298332691188e+09,NULL,0,'1a22dd39e10431faef6bfd7',0,NULL);
INSERT INTO "tickets" VALUES('tddc23e2a942717b855054cd022595ba5','load-live-happy_sichuan-7','happy_sichuan/open','load-live-happy_sichuan-7-1-36885aae','seated','',1.79606517298582887649e+09,1.79606517298582887649e+09,NULL,0,'1a22dd39e103fdd4c803855',3,NULL);
INSERT INTO "tickets" VALUES('t84017b2f67d54aff9923d88a62d6deab','load-live-kaxinwu-1','kaxinwu/coins','load-live-kaxinwu-1-1-087b7b5e','seated','',1.79606517298613834379e+09,1.79606517298613834379e+09,NULL,0,'1a22dd39e10a5d419f2a668',2,NULL);
INSERT INTO "tickets" VALUES('t91c2b0bdc9685e1970d5516fa6ec1ce4','load-live-crazy_xuezhan-7','crazy_xuezhan/mayou','load-live-crazy_xuezhan-7-1-0f6486dc','seated','',1.79606517298628091811e+09,1.79606517298628091811e+09,NULL,0,'1a22dd39e104f2a24a4e831',2,NULL);
INSERT INTO "tickets" VALUES('t89df1d4f433b8bdb0cd7a4aa5a3db010','load-live-crazy_xuezhan-1','crazy_xuezhan/mayou','load-live-crazy_xuezhan-1-1-0483ce23','seated','',1.79606517298800253865e+09,1.79606517298800253865e+09,NULL,0,'1a22dd39e104f2a24a4e831',3,NULL);
INSERT INTO "tickets" VALUES('t189db07b85342fd936f031f94506f6a8','load-live-crazy_xuezhan-2','crazy_xuezhan/mayou','load-live-crazy_xuezhan-2-1-f8be7415','seated','',1.79606517299578595158e+09,1.79606517299578595158e+09,NULL,0,'1a22dd39e108187496ea4f4',0,NULL);
INSERT INTO "tickets" VALUES('tfbeb47c90031fa3a977792b4fc2c971e','load-live-crazy_xuezhan-3','crazy_xuezhan/mayou','load-live-crazy_xuezhan-3-1-fc1d91a1','seated','',1.79606517299660491939e+09,1.79606517299660491939e+09,NULL,0,'1a22dd39e108187496ea4f4',1,NULL);
INSERT INTO "tickets" VALUES('t269224d9d5d729c87d366b46ac01dd84','load-live-kaxinwu-5','kaxinwu/coins','load-live-kaxinwu-5-1-a38d6013','seated','',1.7960651729966418743e+09,1.7960651729966418743e+09,NULL,0,'1a22dd39e10a5d419f2a668',3,NULL);
INSERT INTO "tickets" VALUES('t31e6ca341904f2d56419515006b55bd5','load-live-crazy_xuezhan-0','crazy_xuezhan/mayou','load-live-crazy_xuezhan-0-1-dbedd2b6','seated','',1.79606517299667072301e+09,1.79606517299667072301e+09,NULL,0,'1a22dd39e108187496ea4f4',2,NULL);
INSERT INTO "tickets" VALUES('tc7282244fa792b486ebd41f58ac89b14','load-live-crazy_duel-1','crazy_duel/rating','load-live-crazy_duel-1-1-82411b88','seated','',1.79606517299670267106e+09,1.79606517299670267106e+09,NULL,0,'1a22dd39e10431faef6bfd7',1,NULL);
INSERT INTO "tickets" VALUES('t43a61711c983ad05ea47e899f12c4d6c','load-live-crazy_xuezhan-6','crazy_xuezhan/mayou','load-live-crazy_xuezhan-6-1-4b70995d','seated','',1.79606517299673199656e+09,1.79606517299673199656e+09,NULL,0,'1a22dd39e108187496ea4f4',3,NULL);
CREATE UNIQUE INDEX tickets_active ON tickets (player) WHERE state IN ('waiting', 'seating', 'seated');
CREATE INDEX tickets_waiting ON tickets (room, created_at) WHERE state = 'waiting';
CREATE INDEX tickets_match ON tickets (match_id);
CREATE INDEX tickets_ended ON tickets (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX matches_due ON matches (next_at) WHERE state IN ('holding', 'opening', 'releasing', 'seated');
COMMIT;
