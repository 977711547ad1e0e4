/** The text after `npm start`: all addresses, and three commands to try. */
import type { Parley } from '../parley.ts'

/** `data_dir`: the `PARLEY_DATA_DIR` of the start, which commands need as well. */
export function welcome({ base_url, metrics_url, demo }: Parley, data_dir?: string): string {
  if (!demo) return `Parley is ready at ${base_url} (metrics at ${metrics_url})\n`
  const npx = data_dir ? `PARLEY_DATA_DIR='${data_dir.replaceAll("'", `'\\''`)}' npx` : 'npx'
  return `
Parley is ready.

  API        ${demo.base_url}
  simulator  ${demo.simulator_url}   (stands in for the providers; docs/simulator.md)
  web chat   ${demo.channels.web?.widget_url}
  console    ${demo.console_url}   (${demo.agent.email}, password in demo.json)
  metrics    ${metrics_url}
  keys       demo.json in the data directory

Try it, from this directory in another terminal:

  1. watch webhooks arrive
     ${npx} parley webhooks listen

  2. let somebody write to you
     ${npx} parley simulate inbound --from +15550180000 --text 'Hi there'

  3. send a message
     curl -X POST ${demo.base_url}/v1/messages \\
       -H 'Authorization: Bearer ${demo.token}' -H 'Content-Type: application/json' \\
       -d '{"channel":"whatsapp","to":"+15550180000","message":{"type":"text","body":"Hello"}}'

Ctrl-C stops everything.
`
}
