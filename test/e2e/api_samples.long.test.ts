/** The code samples of the descriptions, run as their readers run them. `api_examples.test.ts` chooses one of each kind. */
import t from 'tap'
import { exampleIds } from '../../actors/mod.ts'
import { EXAMPLE_KEY } from '../../http/openapi/samples/call.ts'
import { samplesOf } from '../../http/openapi/samples/samples.ts'
import { upload } from '../http/media_client.ts'
import { tempDir } from '../support/mod.ts'
import { textPlaced } from './api_examples/calls.ts'
import { makeRecords, type Places, PNG } from './api_examples/records.ts'
import { runSamples } from './api_examples/run_samples.ts'
import { SAMPLED } from './api_examples/sampled.ts'
import { operations, startScene } from './api_examples/scene.ts'
import { made, OPERATOR_KEY } from './fixture.ts'

const { world, tenant, tools, database, prepared } = await startScene(t)
const places = await makeRecords(world, tenant, tools, database)
const sampled = operations.filter(({ id }) => SAMPLED.includes(id))

t.test('the samples of each language run as they are', async (t) => {
  const env = { PARLEY_TOKEN: tenant.token, PARLEY_OPERATOR_KEY: OPERATOR_KEY, TOKEN: tenant.token, OPERATOR_KEY }
  for (const lang of ['TypeScript', 'Shell', 'Python']) {
    const sources: Record<string, string> = {}
    for (const operation of sampled) {
      const own = operation.id === 'delete_media' ? await anotherFile() : await prepared[operation.id]?.()
      const sample = samplesOf(operation, world.base_url).find((one) => one.lang === lang)!
      sources[operation.id] = textPlaced(sample.source, { ...places, ...own, [EXAMPLE_KEY]: `in ${lang}` })
    }
    const failures = await runSamples(lang, sources, tempDir(t), env)
    if (failures === undefined) t.comment(`this machine cannot run the samples in ${lang}`)
    else t.strictSame(failures, [], lang)
  }
})

async function anotherFile(): Promise<Places> {
  return { [exampleIds.media]: (await made(upload(tenant, PNG, { part_type: 'image/png' }))).media_id }
}
