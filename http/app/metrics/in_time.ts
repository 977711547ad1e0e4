/** Maximum wait of a scrape for what the database or another part has to tell. */
const WAIT_MS = 500

/** Resolves to undefined when the value comes too late for a scrape. */
export function inTime<Value>(value: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), WAIT_MS).unref()
  })
  return Promise.race([value, late]).finally(() => clearTimeout(timer))
}
