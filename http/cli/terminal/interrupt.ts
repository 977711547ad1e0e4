const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs work that ends early, and in order, when this process is told to stop. */
export async function untilInterrupted<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interruption = new AbortController()
  const stop = () => interruption.abort()
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    return await work(interruption.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}
