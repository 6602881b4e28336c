// The child's side of bench/processes.py: lines of JSON, commands in and answers out. The process ends with its parent.
// Import it first: it sets the environment that the servers read when they are loaded.
import { createInterface } from 'node:readline';

process.env.NODE_ENV = 'production';
// Standard output belongs to the answers.
console.log = console.info = console.error;

export const settings = JSON.parse(process.argv[2]);

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

export async function serve(ready, handlers) {
  say(ready);
  for await (const line of createInterface({ input: process.stdin })) {
    const { do: name, ...given } = JSON.parse(line);
    say(await handlers[name](given));
  }
  process.exit(0);
}
