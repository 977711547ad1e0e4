/** The places and times at which assistants answer. `deployment_for.ts` beside this folder has the rules. */
import type { Feature } from '../../turn/feature.ts'
import { setDeployments } from './set_deployments.ts'

export const deployments = { commands: { set_deployments: setDeployments } } satisfies Feature
