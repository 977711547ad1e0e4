/**
 * Takes the place of `async-hook-domain`, by which tap finds the test of an uncaught error. That package follows every
 * promise, which costs a quarter of the CPU of a process. In a test process one test runs at a time, so
 * `run_in_process.ts` finds the test without it. Other programs have no tests, and an uncaught error ends them.
 */
export class Domain {
  readonly onerror: (error: unknown, origin: string) => void

  constructor(onerror: (error: unknown, origin: string) => void) {
    this.onerror = onerror
  }

  destroy(): void {}
}
