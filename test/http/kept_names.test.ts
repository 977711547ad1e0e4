/** Names that clients and open pages read, and that the comparison of the descriptions does not see. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { apiNames, described, releasedFile } from '../support/described.ts'
import {
  consoleNames,
  detailNames,
  type FieldNames,
  missingNames,
  releasedConsoleFile,
} from '../support/field_names.ts'

const read = (file: URL) => JSON.parse(readFileSync(file, 'utf8'))

for (const name of apiNames) {
  t.test(`${name}: errors keep the names in their details`, async (t) => {
    const released = detailNames(read(releasedFile(name)))
    t.ok(Object.keys(released).length > 40, 'the release has them')
    t.strictSame(missingNames(released, detailNames(described(name))), [], 'see "Changes" in docs/openapi.md')
  })
}

t.test('an open page of the release finds each name, and may send each', async (t) => {
  const released: FieldNames = read(releasedConsoleFile)
  t.ok(
    released['GET /console/projects/:project_id/definitions answers']!.includes('channels[].composing.text_limit.most'),
  )
  t.strictSame(missingNames(released, consoleNames()), [], 'add the new name, and keep the former one for a release')
})

t.test('a renamed fact of an error would be found', async (t) => {
  const renamed = JSON.parse(JSON.stringify(described('v1')).replaceAll('"most_files"', '"maximum_files"'))
  t.strictSame(missingNames(detailNames(described('v1')), detailNames(renamed)), ['MEDIA_LIMIT_REACHED: most_files'])
})

t.test('a renamed name of the console would be found, and one that is added is none', async (t) => {
  const present = consoleNames()
  const place = 'GET /console/projects/:project_id/definitions answers'
  const renamed = {
    ...present,
    [place]: present[place]!.map((name) => name.replace('text_limit.most', 'text_limit.maximum')),
  }
  t.strictSame(missingNames(present, renamed), [`${place}: channels[].composing.text_limit.most`])
  t.strictSame(missingNames(present, { ...present, [place]: [...present[place]!, 'colours'] }), [])
})
