/**
 * Maps entities kept in daily tables. The tables come and go (`retention/day_tables.ts`), but the mapping requires a name.
 * `column` holds ids, which begin with their time.
 */
export function byDay<Column extends string>(table: string, column: Column) {
  const partitions = [{ name: `${table}_yyyymmdd`, values: `from ('day') to ('next day')` }]
  return { type: 'range' as const, expression: column, partitions }
}
