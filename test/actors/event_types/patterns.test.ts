import t from 'tap'
import { recordPath, scopeOfEvent } from '../../../actors/event_types/access.ts'
import { matchedTypes, storedEvents } from '../../../actors/event_types/patterns.ts'
import { eventTypeNames, eventTypes } from '../../../actors/event_types.ts'
import { scopes } from '../../../actors/mod.ts'
import { patternsOf } from '../../../storage/values/event_patterns.ts'
import { describableRoutes } from '../../support/described.ts'

const tickets = eventTypeNames.filter((type) => type.startsWith('crm.ticket.'))

t.test('a list is stored with the types of its patterns, and shown as it was given', (t) => {
  for (const given of [['crm.ticket.*', 'crm.note.created'], ['*'], ['web.message.read'], ['crm.*', 'web.message.*']]) {
    t.strictSame(patternsOf(storedEvents(given)), given)
  }
  t.strictSame(storedEvents(['crm.ticket.*']), ['crm.ticket.*', ...tickets], 'nodes without patterns match these')
  t.end()
})

t.test('a type that a later release adds matches the patterns of rows before it', (t) => {
  const row_of_before = ['crm.ticket.*', 'crm.ticket.created']
  t.strictSame([...matchedTypes(row_of_before)], tickets)
  t.strictSame(patternsOf(row_of_before), ['crm.ticket.*'])
  t.strictSame([...matchedTypes(['*'])], eventTypeNames)
  t.end()
})

t.test('the record of each event is at an address of the API, with the scope that reads it', (t) => {
  const routes = describableRoutes().filter(({ method }) => method === 'GET')
  for (const { type, example } of eventTypes) {
    const scope = scopeOfEvent(type)
    if (scope !== undefined) t.ok(scopes.includes(scope), type)
    const path = recordPath(type, example)
    if (path === null) continue
    const route = routes.find((one) => new RegExp(`^${one.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))
    t.equal(route?.scope, scope, `${type} ${path}`)
  }
  t.end()
})
