/** Makes the ORM of a database. */
import type { EntityName, MetadataStorage } from '@mikro-orm/core'
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { entities } from '../entities/mod.ts'

/**
 * The tables and columns of our entities. They are the same for every database that a process opens, and the search for
 * them takes most of the time that opening one needs.
 */
let known: MetadataStorage | undefined

/** Makes the ORM without connecting. */
export function makeOrm(options: Pick<Options, 'dbName' | 'logger' | 'pool' | 'driverOptions'>): MikroORM {
  const orm = new MikroORM({
    ...options,
    entities,
    debug: false,
    colors: false,
    discovery: { warnWhenNoEntities: false, skipSyncDiscovery: known !== undefined },
    forceUtcTimezone: true,
    allowGlobalContext: false,
  })
  if (known) teach(orm, known)
  else known = orm.getMetadata()
  return orm
}

/** Gives an ORM that has not looked for the entities those that another one found, as its constructor does otherwise. */
function teach(orm: MikroORM, known: MetadataStorage): void {
  orm.getMetadata = ((entity?: EntityName) => (entity ? known.get(entity) : known)) as MikroORM['getMetadata']
  orm.driver.setMetadata(known)
  const em = orm.driver.createEntityManager()
  Object.assign(em, { global: true })
  Object.assign(orm, { em })
}
