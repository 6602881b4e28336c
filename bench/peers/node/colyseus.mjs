// Colyseus: a room sends each message on to its four clients. No rules, nothing stored.
import { serve, settings } from './child.mjs';
import { Room, Server } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';

class Table extends Room {
  onCreate() {
    this.maxClients = 4;
    this.onMessage('act', (_client, action) => this.broadcast('act', action));
  }
}

const server = new Server({ greet: false, transport: new WebSocketTransport() });
server.define('table', Table);
await server.listen(settings.port, '127.0.0.1');
await serve({ kind: 'colyseus', port: settings.port }, {});
