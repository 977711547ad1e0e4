import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warn, fail } = findings('files')

/** Checks that all running nodes store uploaded files in one place. */
export function checkFiles({ config, readiness }: DoctorContext): Finding[] {
  if (readiness && readiness.warnings.length > 0) return readiness.warnings.map(fail)
  if (config.blob_url?.startsWith('s3:')) return [ok('Uploaded files are kept in a bucket.')]
  const own_database = config.database_url === null
  if (config.blob_url !== null || own_database) return [ok('Uploaded files are kept in a directory.')]
  return [
    warn(
      'Uploaded files are kept in the data directory, where no other machine finds them: back it up, and set PARLEY_BLOB_URL to a bucket or a shared directory before nodes run on a second machine.',
    ),
  ]
}
