import type { Command } from 'commander'
import { addCostCommand } from './costs.ts'
import { addRateCommands } from './rates.ts'

/** Commands for the rates of providers, and for what messages have cost. */
export function addCostCommands(program: Command): void {
  addRateCommands(program)
  addCostCommand(program)
}
