/** `parley simulate model`: prepares replies of the simulated model, and shows what it was asked. */
import t from 'tap'
import { startSimulator } from '../../http/simulator/mod.ts'
import { run } from './command.ts'

const simulator = await startSimulator({ numbers: [] })
t.teardown(() => simulator.close())
const model = (...args: string[]) => run(['simulate', 'model', ...args, '--simulator-url', simulator.url], {})

async function ask(content: string) {
  const body = JSON.stringify({ model: 'simulated', messages: [{ role: 'user', content }] })
  const response = await fetch(`${simulator.url}/models/v1/chat/completions`, { method: 'POST', body })
  return { status: response.status, body: await response.json() }
}

t.test('replies', async (t) => {
  t.match(await model('--calls'), { code: 0, out: 'The model was not asked yet.\n' })
  t.match(await model('--answer', 'It is packed.', '--match', 'order'), {
    code: 0,
    out: 'The model replies so to the next question with “order”.\n',
  })
  t.match(await model('--fault', '429', '--times', '2'), {
    code: 0,
    out: 'The model replies so to the next question.\n',
  })
  t.match(await model('--call', 'order_status', '--arguments', '{oops', '--delay', '0.01', '--json'), {
    code: 0,
    out: /"arguments": ?"\{oops"/,
  })
  t.match(await ask('Hello'), { status: 429 })
  t.match(await ask('Where is my order?'), { body: { choices: [{ message: { content: 'It is packed.' } }] } })
  t.match(await ask('Hello'), { status: 429 })
  const tool_calls = [{ function: { name: 'order_status', arguments: '{oops' } }]
  t.match(await ask('Hello'), { body: { choices: [{ message: { tool_calls } }] } })
  t.match(await model('--calls'), {
    code: 0,
    out: /^.* {2}simulated {2}429 {2}Hello\n.* {2}simulated {2}answer {2}Where is my order\?\n/,
  })
  t.match(JSON.parse((await model('--calls', '--json')).out), [{ outcome: '429' }, {}, {}, { outcome: 'tool_calls' }])
})

t.test('the rest of the script is forgotten', async (t) => {
  await model('--answer', 'Never')
  t.match(await model('--clear'), { code: 0, out: '1 prepared replies are forgotten.\n' })
  t.match(await ask('Hello'), { body: { choices: [{ message: { content: 'You wrote: “Hello”' } }] } })
  t.match(await model('--fault', 'fire'), { code: 1, err: /script\[0\]\.fault must be one of 400/ })
})
