/** The provider simulator of a development start, as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Simulator, SimulatorOptions } from '../../simulator/mod.ts'

type Ready = Pick<Simulator, 'url' | 'smtp_port'>

export type SimulatorProcess = Ready & { stop(): Promise<void> }

/** Starts it and waits until it can be used. It ends with this process, however this process ends. */
export async function startSimulatorProcess(options: SimulatorOptions): Promise<SimulatorProcess> {
  const entry = fileURLToPath(new URL('../../simulator/main.ts', import.meta.url))
  const child = spawn(process.execPath, [entry], {
    env: { ...process.env, PARLEY_SIMULATOR: JSON.stringify(options) },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C reaches the whole process group; the node stops the simulator when it is done with it.
    detached: true,
  })
  const ready = await firstLine(child)
  return {
    ...ready,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function firstLine(child: ChildProcess): Promise<Ready> {
  let complaint = ''
  child.stderr!.on('data', (chunk) => {
    complaint += chunk
  })
  const lines = createInterface({ input: child.stdout! })
  const line = await Promise.race([
    once(lines, 'line').then(([text]) => text as string),
    once(child, 'exit').then(() => undefined),
  ])
  lines.close()
  child.stdout!.resume()
  if (line === undefined) throw new Error(complaint.trim() || 'The provider simulator did not start.')
  return JSON.parse(line)
}
