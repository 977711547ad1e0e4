/** The places of fetches: those of a company, and what they leave to the others. */
import { Readable } from 'node:stream'
import t from 'tap'
import { type FetchJob, MediaFetcher } from '../../actors/received_files/mod.ts'
import { silentLog } from '../../runtime/mod.ts'
import { objectId } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { tempDir } from '../support/mod.ts'

t.test('the projects of a company share its places, however many they are', async (t) => {
  const begun: string[] = []
  const gate = Promise.withResolvers<void>()
  const fetchFile = async (_: unknown, { owner }: Record<string, unknown>) => {
    begun.push(String(owner))
    await gate.promise
    return { stream: Readable.from([]) }
  }
  const fetcher = new MediaFetcher({
    database: {} as never,
    blobs: {} as never,
    providers: { of: () => ({ fetchFile }) as never },
    takeRoom: async () => true,
    directory: tempDir(t),
    log: silentLog,
  })
  const fetch = (company_id: string, project_id: string) => {
    const channel = { channel_type: 'telegram', provider: 'cloud', credentials: {} }
    const about = { media_id: objectId(), attempt: 1, company_id, project_id, channel, provider_media_id: null }
    const job: FetchJob = { ...about, reference: { owner: company_id }, mime_type: null, filename: null }
    return fetcher.run(job, new AbortController().signal)
  }
  const busy = Array.from({ length: 20 }, (_, at) => fetch('busy', `project ${at % 4}`))
  const other = fetch('other', 'project')
  await eventually('the other has a place', () => begun.includes('other'))
  t.same(begun.filter((owner) => owner === 'busy').length, 8)
  gate.resolve()
  t.equal((await other).kind, 'delayed')
  await Promise.all(busy)
  t.equal(begun.length, 21)
})
