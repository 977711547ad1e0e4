import type { Answer, SimulatorRequest } from './answer.ts'

/** One route under /_control. Handlers throw ControlRefusal. */
export type ControlRoute = {
  method: string
  path: string
  summary: string
  handle: (request: SimulatorRequest, body: Record<string, unknown>) => Answer | Promise<Answer>
}
