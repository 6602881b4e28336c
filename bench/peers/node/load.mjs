// The players of boardgame.io and Colyseus: one action in flight a table, the seats in turn; whoever's turn it is acts on hearing the last.
import { serve, settings } from './child.mjs';
import { Client } from '@colyseus/sdk';
import { io } from 'socket.io-client';

const SEATS = 4;
const JOINING = 8; // tables that are joined at a time
const ACTION = { decision: 12, do: 'discard', tile: '5m', id: '1152921504606846976' };
const load = { heard: 0, going: false };

class Table {
  constructor(name) {
    this.name = name;
    this.heard = new Array(SEATS).fill(0);
    this.send = new Array(SEATS);
    this.waiting = null; // the seat whose turn it is, while nobody may act
  }

  turn(seat) {
    if (load.going) this.send[seat]();
    else this.waiting = seat;
  }

  hears(seat) {
    load.heard += 1;
    const heard = (this.heard[seat] += 1);
    if (heard % SEATS === seat) this.turn(seat);
  }
}

async function joinColyseus(table) {
  for (let seat = 0; seat < SEATS; seat++) {
    const client = new Client(`http://127.0.0.1:${settings.port}`);
    const room = seat === 0 ? await client.create('table') : await client.joinById(table.room);
    table.room = room.roomId;
    table.send[seat] = () => room.send('act', ACTION);
    room.onMessage('act', () => table.hears(seat));
  }
}

// A match is as long as a hand; then the same four begin the next.
async function joinBoardgameIo(table) {
  let number = 0;
  let synced = 0;
  const match = () => `${table.name}-${number}`;
  const seats = Array.from({ length: SEATS }, (_, seat) => {
    const socket = io(`http://127.0.0.1:${settings.port}/table`, { transports: ['websocket'], forceNew: true });
    const player = `${seat}`;
    return { socket, player, state: 0, sync: () => socket.emit('sync', match(), player, undefined, SEATS) };
  });
  const begin = () => {
    synced = 0;
    table.heard.fill(0);
    table.turn(0);
  };
  seats.forEach((one, seat) => {
    table.send[seat] = () => {
      const action = { type: 'MAKE_MOVE', payload: { type: 'act', args: [ACTION], playerID: one.player } };
      one.socket.emit('update', action, one.state, match(), one.player);
    };
    one.socket.on('update', (name, state) => {
      if (name !== match() || state._stateID <= one.state) return;
      one.state = state._stateID;
      if (table.heard[seat] + 1 < settings.acts) {
        table.hears(seat);
        return;
      }
      load.heard += 1;
      table.heard[seat] += 1;
      if (table.heard.every((heard) => heard === settings.acts)) {
        number += 1;
        for (const other of seats) other.sync();
      }
    });
  });
  await new Promise((joined) => {
    seats.forEach((one) => {
      one.socket.on('sync', (_name, info) => {
        one.state = info.state._stateID;
        synced += 1;
        if (synced === SEATS) {
          begin();
          joined();
        }
      });
      one.socket.on('connect', () => one.sync());
    });
  });
}

async function joinAll(join) {
  const left = Array.from({ length: settings.tables }, (_, number) => new Table(`table-${number}`));
  const tables = [...left];
  await Promise.all(
    Array.from({ length: JOINING }, async () => {
      for (let table = left.pop(); table; table = left.pop()) await join(table);
    }),
  );
  return tables;
}

const tables = await joinAll({ boardgame_io: joinBoardgameIo, colyseus: joinColyseus }[settings.kind]);
if (settings.kind === 'colyseus') for (const table of tables) table.waiting = 0;

// Let all tables go until told to hold, and count actions: each is heard by the four of its table.
async function top({ seconds }) {
  load.going = true;
  for (const table of tables) {
    const seat = table.waiting;
    table.waiting = null;
    if (seat !== null) table.send[seat]();
  }
  const [heard, begun, cpu] = [load.heard, performance.now(), process.cpuUsage()];
  await new Promise((done) => setTimeout(done, seconds * 1000));
  const elapsed = (performance.now() - begun) / 1000;
  const used = process.cpuUsage(cpu);
  return { seconds: elapsed, accepted: (load.heard - heard) / SEATS, refused: 0, cpu: (used.user + used.system) / 1e6 };
}

async function hold() {
  load.going = false;
  return {};
}

await serve({}, { top, hold });
