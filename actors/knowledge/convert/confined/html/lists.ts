/** Lists, quotations and definitions. */
import { Blocks, type BlockWriter, bold } from './block_writer.ts'
import { attribute, childrenOf, type Element, isElement, type Node } from './nodes.ts'

/** Levels of lists and quotations that are indented. Each copies what is in it. */
const MAX_INDENTS = 8

export function writeList(list: Element, out: Blocks, writer: BlockWriter): void {
  const is_ordered = list.tagName === 'ol'
  const step = is_ordered && attribute(list, 'reversed') !== undefined ? -1 : 1
  const start_number = Number.parseInt(attribute(list, 'start') ?? '', 10)
  const first = step === 1 ? 1 : childrenOf(list).filter((node) => node.nodeName === 'li').length
  let number = (Number.isSafeInteger(start_number) ? start_number : first) - step
  const mark = (item: Element) => {
    const value = Number.parseInt(attribute(item, 'value') ?? '', 10)
    number = Number.isSafeInteger(value) ? value : number + step
    return is_ordered ? `${number}. ` : '- '
  }
  writeItems(childrenOf(list), mark, out, writer)
}

export function writeItems(
  nodes: readonly Node[],
  markFor: (item: Element) => string,
  out: Blocks,
  writer: BlockWriter,
): void {
  const items: string[][] = []
  const loose = new Blocks()
  const flush = () => {
    writer.flush(loose)
    // Text among the items is one more of them.
    if (loose.blocks.length > 0) items.push(loose.blocks.splice(0))
  }
  for (const node of nodes) {
    if (!isElement(node) || node.tagName !== 'li') {
      writer.node(node, loose)
      continue
    }
    flush()
    const inner = new Blocks()
    writeIndented(node, { mark: () => markFor(node) }, inner, writer)
    if (inner.blocks.length > 0) items.push(inner.blocks)
  }
  flush()
  const is_tight = items.every((blocks) => blocks.length === 1 && !blocks[0]!.includes('\n\n'))
  if (items.length > 0) out.add(items.map((blocks) => blocks.join('\n\n')).join(is_tight ? '\n' : '\n\n'))
}

/** The blocks of the element behind a mark; the lines after the first are indented with `rest`, or as far as the mark. */
export function writeIndented(
  element: Element,
  { mark: markFor, rest }: { mark: () => string; rest?: string },
  out: Blocks,
  writer: BlockWriter,
): void {
  writer.indents++
  const blocks = writer.blocksOf(element)
  writer.indents--
  if (blocks.length === 0) return
  const mark = markFor()
  if (writer.indents >= MAX_INDENTS) {
    out.addAll(blocks)
    return
  }
  const indent = rest ?? ' '.repeat(mark.length)
  const is_list = rest === undefined
  // A short item with a list in it stays one block.
  const text = blocks.join(is_list && blocks.length === 2 && /^(?:- |\d+\. )/.test(blocks[1]!) ? '\n' : '\n\n')
  const lines = text.split('\n')
  out.add(lines.map((line, at) => (at === 0 ? mark + line : line === '' ? indent.trimEnd() : indent + line)).join('\n'))
}

/** Terms with what they mean: a line each where that is short, else paragraphs. */
export function writeDefinitions(list: Element, out: Blocks, writer: BlockWriter): void {
  const parts = childrenOf(list).flatMap((node) =>
    isElement(node) && node.tagName === 'div' ? childrenOf(node) : [node],
  )
  let term: string[] = []
  const end = () => {
    if (term.length > 0) out.add(bold(term.join(', ')))
    term = []
  }
  for (const node of parts) {
    if (!isElement(node) || (node.tagName !== 'dt' && node.tagName !== 'dd')) {
      writer.node(node, out)
      continue
    }
    writer.flush(out)
    if (node.tagName === 'dt') {
      if (writer.state.hasBlocks(node)) {
        end()
        out.addAll(writer.blocksOf(node))
      } else {
        const text = writer.lineOf(node)
        if (text !== '') term.push(text)
      }
      continue
    }
    const blocks = writer.blocksOf(node)
    if (blocks.length === 1 && term.length > 0 && !blocks[0]!.includes('\n')) {
      out.add(`${bold(term.join(', '))}: ${blocks[0]}`)
      term = []
    } else {
      end()
      out.addAll(blocks)
    }
  }
  end()
  writer.flush(out)
}
