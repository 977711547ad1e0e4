import t from 'tap'
import { blockTypeNames, blockTypes, objectId, storeCompany, storeProject } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'

const { database } = await testDatabase(t)
const { _id: company_id } = await storeCompany(database, { name: 'Acme' })
const limits = { minute: 60, hour: 200, day: 1000, ingest_minute: 6000 }
const { _id: project_id } = await storeProject(database, { company_id, name: 'Support', limits })

const link = (assistant_id: string, type: string) =>
  database.execute(`
    insert into assistant_block (assistant_id, block_id, project_id, type, "order")
    values ('${assistant_id}', '${objectId()}', '${project_id}', '${type}', 0)`)

t.test('the table of links refuses a second block of each identity type, and of no other', async (t) => {
  const assistant_id = objectId()
  for (const type of blockTypeNames) {
    await link(assistant_id, type)
    const second = link(assistant_id, type)
    if (blockTypes[type].family === 'identity') await t.rejects(second, /assistant_block_identity/, type)
    else await second
    await link(objectId(), type)
  }
})

t.test('the table of blocks takes the types of the code, and no other', async (t) => {
  const insert = (type: string) =>
    database.execute(`insert into block (_id, company_id, project_id, name, type)
      values ('${objectId()}', '${company_id}', '${project_id}', 'x', '${type}')`)
  for (const type of blockTypeNames) await insert(type)
  await t.rejects(insert('other'), /block_type_check/)
})

t.test('a version has the content of its mode', async (t) => {
  const insert = (mode: string, content: string, payload: string) =>
    database.execute(`insert into block_version (_id, project_id, block_id, edit_mode, content, payload)
      values ('${objectId()}', '${project_id}', '${objectId()}', '${mode}', ${content}, ${payload})`)
  await insert('free', `''`, 'null')
  await insert('assisted', 'null', `'{"items":[]}'`)
  for (const [mode, content, payload] of [
    ['free', 'null', 'null'],
    ['free', `''`, `'{}'`],
    ['assisted', `''`, 'null'],
    ['assisted', 'null', 'null'],
  ] as const)
    await t.rejects(insert(mode, content, payload), /block_version_content_check/)
})
