import { partitionOf } from '../../../runtime/mod.ts'

/** Returns a key that begins with `name` and whose address lies in `partition`. */
export function keyIn(kind: string, name: string, partition: number, partitions = 4): string {
  for (let i = 0; ; i++) if (partitionOf(`${kind}/${name}${i}`, partitions) === partition) return `${name}${i}`
}
