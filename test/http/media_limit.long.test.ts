/** A file that is too large, and does not say so: `media.test.ts` has the limit without a hundred megabytes. */
import t from 'tap'
import { eventually } from '../e2e/client.ts'
import { makeTenant, startWorld } from '../e2e/fixture.ts'
import { filesOf } from './media_client.ts'

const MIB = 1024 * 1024

t.test('too large a file that is not announced is refused, and leaves nothing', async (t) => {
  // A node to itself, because the test looks at its directory.
  const world = await startWorld(t)
  const { token } = await makeTenant(world)
  const head = Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n')
  const piece = Buffer.alloc(MIB, 1)
  const { status, body } = await world.http('POST', `${world.base_url}/v1/media/upload`, {
    token,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    raw: (async function* () {
      yield head
      for (let index = 0; index < 100; index++) yield piece
      yield Buffer.from('x\r\n--x--\r\n')
    })() as never,
  })
  t.strictSame([status, body.error.code], [413, 'PAYLOAD_TOO_LARGE'])
  await eventually('no file is left', () => filesOf(world).length === 0)
})
