/** Waits for `work`, but no longer than `ms`, and not for its success. */
export async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.resolve(work).catch(() => {}), timeout])
  clearTimeout(timer)
}
