/** Converts in processes as a node does, and watches them. */
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { Converter } from '../../../actors/knowledge/convert/mod.ts'
import { childrenOf, commandOf } from '../../../runtime/servers/process_table.ts'

const URL_OF_PAGE = 'https://shop.example/help/returns'

export const converter = new Converter({ slots: 2 })

export const convert = (bytes: Buffer, with_converter = converter) =>
  with_converter.convert(async () => Readable.from(bytes.length === 0 ? [] : [bytes]), {
    owner: 'project',
    url: URL_OF_PAGE,
  })

export const page = (body: string) =>
  Buffer.from(`<!doctype html><html><head><title>Returns | Shop</title></head><body>${body}</body></html>`)

/** The text of a file of `/proc`; empty once its process is gone. */
export function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Processes of conversions that this process has started. */
export function conversions(): number[] {
  return childrenOf(process.pid).filter((pid) => commandOf(pid)?.includes('confined/main.ts'))
}
