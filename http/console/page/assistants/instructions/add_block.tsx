/** Adds a block to the prompt: a new one, or one of the catalogue, which other assistants may have, too. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import { Resource } from '../../data/resource.ts'
import type { Block } from '../../records/assistant.ts'
import { Field, SelectField } from '../../ui/forms/field.tsx'
import { FormActions, Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { PartProps } from '../part.ts'
import { BLOCK_TYPES, NEW_BLOCK_TYPES, SINGLE_TYPES } from '../words.ts'

type Props = PartProps & { onAdded(block: Pick<Block, '_id'>): void }

const PAGE = 200

export function AddBlock(props: Props) {
  const [asked, ask] = useState<'new' | 'catalogue' | null>(null)
  const close = () => ask(null)
  return (
    <>
      <Menu
        id="add-block"
        class="button icon-button"
        label="Add a block"
        button={<Icon name="plus" />}
        items={[
          { text: 'New block…', icon: 'plus', act: () => ask('new') },
          { text: 'From the catalogue…', icon: 'folder', act: () => ask('catalogue') },
        ]}
      />
      {asked === 'new' && <NewBlockDialog {...props} onClose={close} />}
      {asked === 'catalogue' && <CatalogueDialog {...props} onClose={close} />}
    </>
  )
}

function NewBlockDialog({ assistants, open, assistant, onAdded, onClose }: Props & { onClose(): void }) {
  const types = NEW_BLOCK_TYPES.filter(
    (type) => !SINGLE_TYPES.includes(type) || !assistant.blocks.some((block) => block.type === type),
  )
  const [type, setType] = useState(types[0]!)
  const [name, setName] = useState('')
  const key = useMemo(() => crypto.randomUUID(), [type, name])
  const { run, is_busy, fault } = useAction(async () => {
    const block = await assistants.api.createBlock(type, { name: name.trim() }, key)
    await open.attach(block._id)
    onClose()
    onAdded(block)
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <Dialog title="New block" onClose={onClose}>
      <form class="assistant-form" onSubmit={submit} novalidate>
        <SelectField
          label="Kind"
          value={type}
          options={types.map((one) => ({ value: one, text: BLOCK_TYPES[one] }))}
          onChange={(chosen) => setType(chosen as typeof type)}
        />
        <Field label="Name" hint="It is the heading in the prompt.">
          {(attributes) => (
            <input
              {...attributes}
              value={name}
              maxlength={150}
              placeholder="Order status"
              autocomplete="off"
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Refusal fault={fault} />
        <FormActions onClose={onClose} is_busy={is_busy}>
          {is_busy ? 'Adding…' : 'Add'}
        </FormActions>
      </form>
    </Dialog>
  )
}

function CatalogueDialog({ assistants, open, assistant, onAdded, onClose }: Props & { onClose(): void }) {
  const list = useMemo(() => new Resource(() => readAll(assistants.api)), [assistants])
  useEffect(() => void list.read(), [list])
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<Block | null>(null)
  const { run, is_busy, fault } = useAction(async () => {
    if (!chosen) return
    await open.attach(chosen._id)
    onClose()
    onAdded(chosen)
  })
  const { value, fault: load_fault } = list.state.value
  const others = value?.filter(({ _id }) => !assistant.blocks.some((block) => block._id === _id)) ?? []
  const words = search.trim().toLowerCase()
  const found = others.filter(({ name, type }) => `${name} ${BLOCK_TYPES[type]}`.toLowerCase().includes(words))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <Dialog title="Add a block of the catalogue" onClose={onClose} class="assistant-choose">
      <form class="assistant-form" onSubmit={submit} novalidate>
        <div class="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label="Search blocks"
            placeholder="Name or kind"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </div>
        {load_fault && (
          <Trouble title="The catalogue could not be loaded" error={load_fault} onRetry={() => list.read()} />
        )}
        {!value && !load_fault && <Waiting label="Loading the catalogue" rows={3} />}
        {value && (
          <fieldset class="assistant-checks assistant-choices">
            <legend class="aside">Blocks</legend>
            {found.slice(0, PAGE).map((block) => (
              <label class="assistant-check" key={block._id}>
                <input
                  type="radio"
                  name="block"
                  checked={chosen?._id === block._id}
                  onChange={() => setChosen(block)}
                />
                <span>
                  <bdi>{block.name}</bdi> <span class="faint">{BLOCK_TYPES[block.type]}</span>
                </span>
              </label>
            ))}
            {found.length === 0 && (
              <p class="faint">
                {others.length === 0 ? 'The assistant has all blocks of the catalogue.' : 'No block matches.'}
              </p>
            )}
          </fieldset>
        )}
        <Refusal fault={fault} />
        <FormActions onClose={onClose} is_busy={is_busy}>
          {is_busy ? 'Adding…' : 'Add'}
        </FormActions>
      </form>
    </Dialog>
  )
}

/** A catalogue of thousands is searched as far as people look. */
const MOST = 2_000

async function readAll(api: Props['assistants']['api']) {
  const blocks: Block[] = []
  for (;;) {
    const { data, has_more } = await api.blocks({ limit: PAGE, offset: blocks.length })
    blocks.push(...data)
    if (!has_more || blocks.length >= MOST) return blocks
  }
}
