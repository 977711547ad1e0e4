import type { DoctorContext } from './context.ts'
import { isAboutFiles } from './files.ts'
import { type Finding, findings } from './finding.ts'

const { fail } = findings('cluster')

/** Warnings of the running nodes that no other check reports. */
export function checkCluster({ readiness }: DoctorContext): Finding[] {
  return (readiness?.warnings ?? []).filter((warning) => !isAboutFiles(warning)).map(fail)
}
