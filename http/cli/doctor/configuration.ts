import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, fail } = findings('configuration')

export function checkConfiguration({ config, problems }: DoctorContext): Finding[] {
  if (problems.length > 0) return problems.map(fail)
  return [ok(`The settings are valid for ${config.environment}.`)]
}
