// boardgame.io: the server is authoritative and keeps every match in its own storage: in memory, its default and its fastest, or in files
// where it is given a folder, its only storage that a match outlives the process in.
// The game has one rule, that seats take turns, and remembers the last action.
import { serve, settings } from './child.mjs';
import { createRequire } from 'node:module';

const { FlatFile, Server } = createRequire(import.meta.url)('boardgame.io/server');
const game = {
  name: 'table',
  setup: () => ({ acts: 0, last: null }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    act: ({ G }, action) => {
      G.acts += 1;
      G.last = action;
    },
  },
};
const stored = settings.matches ? { db: new FlatFile({ dir: settings.matches }) } : {};
await Server({ games: [game], origins: ['*'], ...stored }).run({ port: settings.port });
await serve({ kind: 'boardgame_io', port: settings.port }, {});
