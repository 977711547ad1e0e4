/** Blocks of Markdown, and their writer: the parts of the conversion of a page share them. */
import { Inline, type InlineStyle } from './inline.ts'
import type { Element, Node, Parent } from './nodes.ts'
import type { PageState } from './page_state.ts'

/** Finished blocks, and the paragraph that is being read. */
export class Blocks {
  readonly blocks: string[] = []
  readonly inline = new Inline()

  add(block: string): void {
    if (block !== '') this.blocks.push(block)
  }

  addAll(blocks: readonly string[]): void {
    for (const block of blocks) this.add(block)
  }
}

export interface BlockWriter {
  readonly state: PageState
  /** Lists and quotations around the present place. */
  indents: number
  /** Reads a node into the blocks. */
  node(node: Node, out: Blocks): void
  /** Ends the paragraph. */
  flush(out: Blocks): void
  /** The blocks of all that is in the node. */
  blocksOf(node: Parent | Element): string[]
  /** All that is in the node on one line, blocks included. */
  lineOf(node: Parent | Element, style?: InlineStyle): string
  /** The name of what follows. */
  labelOf(element: Element): string[]
}

export function bold(text: string): string {
  return text.includes('**') ? text : `**${text}**`
}
