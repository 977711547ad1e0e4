/** Test sets of an assistant, for tests of them. */
import { eventually, type Json } from './client.ts'
import { made, type Tenant } from './fixture.ts'

/** Requests about the test sets of an assistant. */
export function testBench({ api }: Tenant, assistant_id: string) {
  const path = `assistants/${assistant_id}/test-sets`
  let sets = 0
  const bench = {
    path,
    create: (body: Json) => api('POST', path, { name: `Set ${++sets}`, ...body }),
    /** Starts a run of a new set with these cases; its paths and the summary. */
    async start(cases: Json[], { runs, held, ...fields }: Json = {}) {
      const { test_set } = await made(bench.create({ cases, ...fields }))
      const { run } = await made(api('POST', `${path}/${test_set._id}/runs`, { runs, held }))
      return { set: test_set as Json, run: run as Json, path: `${path}/${test_set._id}/runs/${run._id}` }
    },
    /** Resolves to the run and its results once it has ended. */
    ended: (run_path: string) =>
      eventually(`${run_path} has ended`, async () => {
        const answer = await made(api('GET', `${run_path}?limit=200`))
        return answer.run.ended_at !== null && { run: answer.run as Json, results: answer.results.data as Json[] }
      }),
    async run(cases: Json[], fields: Json = {}) {
      const { path } = await bench.start(cases, fields)
      return bench.ended(path)
    },
  }
  return bench
}

/** A case of one step. */
export const asks = (name: string, user: string | string[], expect: Json = {}, more: Json = {}): Json => ({
  name,
  steps: [{ user, expect }],
  ...more,
})
