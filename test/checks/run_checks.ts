/** `npm run check`: every check that does not need the product to run. */
import { printChecks, runChecks } from './checks.ts'

const checks = await runChecks()
printChecks(checks)
if (checks.some(({ passed }) => !passed)) process.exitCode = 1
