import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warn, fail } = findings('files')

/** True for a warning of a node about the stores of uploaded files. */
export function isAboutFiles(warning: string): boolean {
  return warning.includes('uploaded files')
}

/** Checks that all running nodes store uploaded files in one place. */
export function checkFiles({ config, readiness }: DoctorContext): Finding[] {
  const warnings = readiness?.warnings.filter(isAboutFiles) ?? []
  if (warnings.length > 0) return warnings.map(fail)
  if (config.blob_url?.startsWith('s3:')) return [ok('Uploaded files are kept in a bucket.')]
  const own_database = config.database_url === null
  if (config.blob_url !== null || own_database) return [ok('Uploaded files are kept in a directory.')]
  return [
    warn(
      'Uploaded files are kept in the data directory, where no other machine finds them: back it up, and set PARLEY_BLOB_URL to a bucket or a shared directory before nodes run on a second machine.',
    ),
  ]
}
