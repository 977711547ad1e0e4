/** The packets that reach the parsers. */
import t from 'tap'
import { readKind } from '../../http/server/sockets/socket_packet.ts'

const kindOf = (text: string, is_in = true) => readKind(new TextEncoder().encode(text), is_in)

t.test('packets that pages send are let through', (t) => {
  const token = `visitor-${'0'.repeat(32)}.${'x'.repeat(43)}`
  t.equal(kindOf('3'), 'pong')
  t.equal(kindOf('40', false), 'connect')
  t.equal(kindOf('40{}', false), 'connect')
  t.equal(kindOf(`40${JSON.stringify({ channel_id: '0'.repeat(24), visitor_token: token })}`, false), 'connect')
  t.equal(kindOf('41'), 'leave')
  t.equal(kindOf('42["unwatch",{"project_id":"x"}]'), 'event')
  const refs = Array.from({ length: 100 }, (_, n) => `web-msg_${n}`)
  t.equal(kindOf(`4217${JSON.stringify(['seen', { status: 'read', refs }])}`), 'event')
  const texts = ['[[[[[[[[[[[[', '{"a":', '\\"[[[[[[[[[[[[[', ','.repeat(4096), '"'.repeat(4096), '\\'.repeat(4095)]
  for (const body of texts)
    t.equal(kindOf(`420${JSON.stringify(['say', { body }])}`), 'event', 'whatever a text has in it')
  t.end()
})

t.test('all other packets are refused', (t) => {
  const cases: [string, string, boolean?][] = [
    ['nothing', ''],
    ['a ping', '2'],
    ['a pong with something in it', '3x'],
    ['a type that is none', '9'],
    ['a message of nothing', '4'],
    ['an event of one who is not in', '42["say"]', false],
    ['leaving before coming', '41', false],
    ['coming twice', '40{}'],
    ['a namespace', '40/x,', false],
    ['an event of a namespace', '42/x,["say"]'],
    ['an acknowledgement', '430[]'],
    ['a refusal', '44{}'],
    ['an event with attachments', '451-["say",{"_placeholder":true,"num":0}]'],
    ['an acknowledgement with attachments', '461-0[]'],
    ['a long number', `42${'1'.repeat(11)}["say"]`],
    ['an event that is no array', '42{}'],
    ['a long greeting', `40{"channel_id":"${'x'.repeat(1024)}"}`, false],
    ['a greeting that is no object', '40[]', false],
    ['depth', `42${'['.repeat(9)}${']'.repeat(9)}`],
    ['depth of objects', `42["say",${'{"a":'.repeat(9)}1${'}'.repeat(9)}]`],
    ['many parts', `42["say",[${'1,'.repeat(300)}1]]`],
    ['many parts after a text that seems to go on', `42["\\\\",[${'1,'.repeat(300)}1]]`],
  ]
  for (const [what, packet, is_in] of cases) t.equal(kindOf(packet, is_in), undefined, what)
  t.end()
})
