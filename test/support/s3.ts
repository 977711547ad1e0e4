/** A local server that speaks S3. */
import type { Owner } from './owner.ts'
import { tempDir } from './temp_dir.ts'

type Server = { run(): Promise<{ port: number }>; close(): Promise<void> }

/**
 * Starts a server with an empty bucket `media`. `url` is a value for `PARLEY_BLOB_URL`, and `directory` holds the
 * bucket's files.
 */
export async function startS3(t: Owner): Promise<{ url: string; directory: string }> {
  // Loaded where it is needed: it brings as many modules as the rest of a test.
  // @ts-expect-error: the package brings no types.
  const { default: S3rver } = await import('s3rver')
  const directory = tempDir(t)
  const configureBuckets = [{ name: 'media', configs: [] }]
  const server: Server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets })
  const { port } = await server.run()
  t.teardown(() => server.close())
  const endpoint = `http://127.0.0.1:${port}`
  return { url: `s3://S3RVER:S3RVER@127.0.0.1/media/parley?endpoint=${endpoint}`, directory: `${directory}/media` }
}
