/**
 * The routes of a kind of record that operators manage: `POST` and `GET` of its list, `GET`, `PATCH` and `DELETE` of one.
 * A verb whose work differs is left out, and stands beside them as a route of its own.
 */
import * as v from 'valibot'
import type { ErrorCode } from '../../actors/mod.ts'
import type { Database, EntityRef, RecordFilter, Window } from '../../storage/mod.ts'
import { listRecords } from '../server/list_records.ts'
import type { Example, RequestContext, Route } from '../server/route/route.ts'
import { recordList, recordsOf } from './fields.ts'
import { once } from './once.ts'
import { operatorRoute } from './operator_route.ts'
import { explained, findRecord } from './records.ts'

type Refresh<Row> = (context: RequestContext, row: Row) => Promise<void>

type Verb = { operation: string; summary: string; errors?: ErrorCode[]; example?: Example }

type Resource<
  Row extends { _id: string },
  Filter extends v.ObjectEntries,
  Creation extends v.GenericSchema,
  Patch extends v.ObjectEntries,
> = {
  /** The path of the list. */
  path: `/admin/v1/${string}`
  entity: EntityRef<Row>
  record: v.GenericSchema & { entries: Record<string, v.GenericSchema> }
  /** Default: the columns that `record` names, null for those without a value. */
  show?: (row: Row, database: Database) => object
  /** Tells the actors that keep the record in memory, after each change. The answer waits for them. */
  refresh?: Refresh<Row>
  create?: Verb & { body: Creation; store: (database: Database, input: v.InferOutput<Creation>) => Promise<Row> }
  /** `filter`: the parameters beside those of each list; each is a column, or `search`. */
  list?: Verb & { filter: Filter }
  get?: Verb
  /** `refresh` takes the place of the common one. */
  update?: Verb & {
    fields: Patch
    change: (database: Database, id: string, patch: PatchOf<Patch>) => Promise<Row>
    refresh?: Refresh<Row>
  }
  /** `remove` returns the row that was there if an actor is to be told. */
  delete?: Verb & { remove: (database: Database, id: string) => Promise<Row | void> }
}

type PatchOf<Patch extends v.ObjectEntries> = v.InferOutput<v.StrictObjectSchema<Patch, undefined>>

/** @returns the routes of the verbs that are given, in the order of the description. */
export function resource<
  Row extends { _id: string },
  Filter extends v.ObjectEntries = v.ObjectEntries,
  Creation extends v.GenericSchema = v.GenericSchema,
  Patch extends v.ObjectEntries = v.ObjectEntries,
>({
  path,
  entity,
  record,
  show = columns<Row>(Object.keys(record.entries)),
  refresh = async () => {},
  ...verbs
}: Resource<Row, Filter, Creation, Patch>): Route[] {
  const routes: Route[] = []
  // Its type is the part that the handlers need.
  const one = `${path}/:id` as ':id'
  const missing = (errors: ErrorCode[] = []): ErrorCode[] => ['NOT_FOUND', ...errors]

  if (verbs.create) {
    const { store, ...facts } = verbs.create
    routes.push(
      operatorRoute({
        ...facts,
        method: 'POST',
        path,
        status: 201,
        response: record,
        async change({ body }, context) {
          const { database } = context
          const stored = once(
            context,
            (joined) => store(joined, body),
            (row) => show(row, database),
          )
          const row = await explained(stored)
          await refresh(context, row)
          return show(row, database)
        },
      }),
    )
  }
  if (verbs.list) {
    const { filter, ...facts } = verbs.list
    routes.push(
      operatorRoute({
        ...facts,
        method: 'GET',
        path,
        status: 200,
        query: recordList(filter),
        response: recordsOf(record),
        read({ query }, { database }) {
          // The schema of the query is the window's and the filter's; their union has lost its types.
          const { limit, offset, cursor, ...filter } = query as Window & RecordFilter<Row>
          return listRecords(database, entity, filter as RecordFilter<Row>, { limit, offset, cursor }, (row) =>
            show(row, database),
          )
        },
      }),
    )
  }
  if (verbs.get) {
    routes.push(
      operatorRoute({
        ...verbs.get,
        method: 'GET',
        path: one,
        status: 200,
        response: record,
        errors: missing(verbs.get.errors),
        read: async ({ params }, { database }) => show(await findRecord(database, entity, params.id), database),
      }),
    )
  }
  if (verbs.update) {
    const { change, fields, refresh: tell = refresh, ...facts } = verbs.update
    routes.push(
      operatorRoute({
        ...facts,
        method: 'PATCH',
        path: one,
        status: 200,
        body: v.strictObject(fields),
        response: record,
        errors: missing(facts.errors),
        async change({ params, body }, context) {
          const row = await explained(change(context.database, params.id, body))
          await tell(context, row)
          return show(row, context.database)
        },
      }),
    )
  }
  if (verbs.delete) {
    const { remove, ...facts } = verbs.delete
    routes.push(
      operatorRoute({
        ...facts,
        method: 'DELETE',
        path: one,
        status: 204,
        errors: missing(facts.errors),
        async change({ params }, context) {
          const row = await explained(remove(context.database, params.id))
          if (row) await refresh(context, row)
        },
      }),
    )
  }
  return routes
}

const columns =
  <Row>(names: string[]) =>
  (row: Row): object =>
    Object.fromEntries(names.map((name) => [name, row[name as keyof Row] ?? null]))
