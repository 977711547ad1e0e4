import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warn, fail } = findings('configuration')

export function checkConfiguration({ config, problems }: DoctorContext): Finding[] {
  if (problems.length > 0) return problems.map(fail)
  const found = [ok(`The settings are valid for ${config.environment}.`)]
  if (config.environment === 'production' && config.base_url?.startsWith('http:')) {
    found.push(
      warn(
        'PARLEY_BASE_URL begins with http:, which production refuses, so its links do not work: set the https address.',
      ),
    )
  }
  return found
}
