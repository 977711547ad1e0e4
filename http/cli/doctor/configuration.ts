import { type Finding, findings } from './finding.ts'
import type { Patient } from './patient.ts'

const { ok, fail } = findings('configuration')

export function checkConfiguration({ config, problems }: Patient): Finding[] {
  if (problems.length > 0) return problems.map(fail)
  return [ok(`The settings are valid for ${config.environment}.`)]
}
