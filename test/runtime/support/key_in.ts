import { partitionOf } from '../../../runtime/mod.ts'

/** A key beginning with `name` whose address lies in `partition`. */
export function keyIn(kind: string, name: string, partition: number, partitions = 4): string {
  for (let i = 0; ; i++) if (partitionOf(`${kind}/${name}${i}`, partitions) === partition) return `${name}${i}`
}
