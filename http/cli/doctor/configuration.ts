import { warningOfAddress } from '../../app/node/surroundings.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warn, fail } = findings('configuration')

export function checkConfiguration({ config, problems }: DoctorContext): Finding[] {
  if (problems.length > 0) return problems.map(fail)
  const found = [ok(`The settings are valid for ${config.environment}.`)]
  const address = warningOfAddress(config)
  if (address !== undefined) found.push(warn(address))
  return found
}
