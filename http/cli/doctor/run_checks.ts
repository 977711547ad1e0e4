import { checkCluster } from './cluster.ts'
import { checkConfiguration } from './configuration.ts'
import { type DoctorContext, readDoctorContext } from './context.ts'
import { checkDataDirectory } from './data_directory.ts'
import { checkFiles } from './files.ts'
import type { Check, Finding } from './finding.ts'
import { checkMetrics } from './metrics.ts'
import { checkModels } from './models.ts'
import { checkNats } from './nats.ts'
import { checkNode, checkPackages } from './packages.ts'
import { checkPort } from './port.ts'
import { checkPostgres } from './postgres.ts'

/** In the order in which a start would fail on them. */
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
  models: checkModels,
  cluster: checkCluster,
}

/** Runs all checks concurrently, so that several time-outs cost only one. */
export async function examine(): Promise<Finding[]> {
  const context = await readDoctorContext()
  const found = Object.entries(CHECKS).map(([name, check]) => guarded(name, check, context))
  return (await Promise.all(found)).flat()
}

/** A check that throws is a finding too. */
async function guarded(name: string, check: Check, context: DoctorContext): Promise<Finding[]> {
  try {
    return await check(context)
  } catch (error) {
    return [{ name, status: 'fail', text: `This could not be checked: ${(error as Error).message}` }]
  }
}
