import { checkConfiguration } from './configuration.ts'
import { checkDataDirectory } from './data_directory.ts'
import { checkFiles } from './files.ts'
import type { Check, Finding } from './finding.ts'
import { checkMetrics } from './metrics.ts'
import { checkNats } from './nats.ts'
import { checkNode, checkPackages } from './packages.ts'
import { meetPatient, type Patient } from './patient.ts'
import { checkPort } from './port.ts'
import { checkPostgres } from './postgres.ts'

/** In the order in which a start would stumble over them. */
const CHECKS: Record<string, Check> = {
  node: checkNode,
  packages: checkPackages,
  configuration: checkConfiguration,
  'data directory': checkDataDirectory,
  files: checkFiles,
  postgres: checkPostgres,
  nats: checkNats,
  port: checkPort,
  metrics: checkMetrics,
}

/** Makes all checks, beside each other: what does not answer costs its time-out once. */
export async function examine(): Promise<Finding[]> {
  const patient = await meetPatient()
  const found = Object.entries(CHECKS).map(([name, check]) => guarded(name, check, patient))
  return (await Promise.all(found)).flat()
}

/** A check that stumbles is a finding too. */
async function guarded(name: string, check: Check, patient: Patient): Promise<Finding[]> {
  try {
    return await check(patient)
  } catch (error) {
    return [{ name, status: 'fail', text: `This could not be checked: ${(error as Error).message}` }]
  }
}
