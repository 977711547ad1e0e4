/** The size of a message of MCP beside the arguments of its tool. */
import t from 'tap'
import { hasLargeEnvelope } from '../../http/mcp/envelope.ts'

const many = Array(300).fill(0)

t.test('a message of an ordinary client is small, whatever its tool takes', async (t) => {
  const clientInfo = { name: 'a', version: '1', icons: [{ src: 'https://example.com/a.png', sizes: ['48x48'] }] }
  for (const message of [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 'x', capabilities: {}, clientInfo } },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'send_bulk', arguments: { recipients: many } } },
    null,
    'text',
  ])
    t.notOk(hasLargeEnvelope(message))
})

t.test('many parts elsewhere are too many', async (t) => {
  for (const message of [
    { method: 'initialize', params: { clientInfo: { icons: many } } },
    { method: 'tools/call', params: { name: many, arguments: {} } },
    { method: 'tools/call', params: { _meta: { deep: [[many]] }, arguments: {} } },
    { method: 'ping', params: { arguments: many } },
    many,
    Object.fromEntries(many.map((_, n) => [`k${n}`, n])),
  ])
    t.ok(hasLargeEnvelope(message))
})
