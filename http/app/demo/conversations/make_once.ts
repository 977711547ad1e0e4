/** Records of the demo that stay from one start to the next. */
import type { Demo } from '../demo_file.ts'

/** Makes a record as the operator, unless an earlier start has made it. `path` is below `/admin/v1/`. */
export async function makeOnce({ base_url, operator_key }: Demo, path: string, record: object): Promise<void> {
  const response = await fetch(`${base_url}/admin/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(record),
  })
  if (response.ok || response.status === 409) return
  throw new Error(`The demo could not be completed at ${path}: ${response.status} ${await response.text()}`)
}
