import { openBlobs } from '../../../storage/mod.ts'
import { reasonOf } from '../node/database_reason.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warn, fail } = findings('files')

/** True for a warning of a node about the stores of uploaded files. */
export function isAboutFiles(warning: string): boolean {
  return warning.includes('uploaded files')
}

/** Checks that all running nodes store uploaded files in one place, and that it can be written from here. */
export async function checkFiles({ config, readiness }: DoctorContext): Promise<Finding[]> {
  const warnings = readiness?.warnings.filter(isAboutFiles) ?? []
  if (warnings.length > 0) return warnings.map(fail)
  const trouble = config.blob_url === null ? undefined : await troubleOf(config.blob_url)
  if (trouble !== undefined) {
    return [fail(`The store of PARLEY_BLOB_URL cannot be written (${trouble}): correct the URL or its permissions.`)]
  }
  if (config.blob_url?.startsWith('s3:')) return [ok('Uploaded files are kept in a bucket.')]
  const own_database = config.database_url === null
  if (config.blob_url !== null || own_database) return [ok('Uploaded files are kept in a directory.')]
  return [
    warn(
      'Uploaded files are kept in the data directory, where no other machine finds them: back it up, and set PARLEY_BLOB_URL to a bucket or a shared directory before nodes run on a second machine.',
    ),
  ]
}

const PATIENCE_MS = 10_000

/** The reason why nothing can be stored. */
async function troubleOf(blob_url: string): Promise<string | undefined> {
  const blobs = await openBlobs(blob_url)
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS).unref()
  })
  try {
    await Promise.race([blobs.check(), late])
  } catch (error) {
    return reasonOf(error)
  } finally {
    await blobs.close()
  }
}
