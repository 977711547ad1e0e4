/** `npm run check`: everything that can be told without running the product. */
import { printChecks, runChecks } from './checks.ts'

const checks = await runChecks()
printChecks(checks)
if (checks.some(({ passed }) => !passed)) process.exitCode = 1
