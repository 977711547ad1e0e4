/** The form of a carousel: cards with a picture and a link. */
import { useState } from 'preact/hooks'
import { FormDialog, type FormProps } from './form_dialog.tsx'
import { FileInput, omitEmpty, problemOf, TextInput } from './inputs.tsx'

type Card = { file: { media_id: string; name: string } | null; text: string; button: string; url: string }

const BODY = 1024
const CARD_TEXT = 160
const TITLE = 20
const FEWEST = 2
const MAX = 10
const EMPTY: Card = { file: null, text: '', button: '', url: '' }

export function CarouselForm(props: FormProps) {
  const [body_text, setBody] = useState('')
  const [cards, setCards] = useState([EMPTY, EMPTY])
  const message = {
    type: 'carousel',
    body_text,
    cards: cards.map(({ file, text, button, url }) => ({
      header: { type: 'image', media_id: file?.media_id },
      body_text: omitEmpty(text),
      action: { display_text: button.trim(), url: url.trim() },
    })),
  }
  const is_whole = cards.every(
    ({ file, text, button, url }) => file && [...text].length <= CARD_TEXT && !problemOf(button, TITLE) && isLink(url),
  )
  const change = (at: number, change: Partial<Card>) =>
    setCards(cards.map((card, place) => (place === at ? { ...card, ...change } : card)))
  return (
    <FormDialog {...props} title="Carousel" message={message} is_complete={!problemOf(body_text, BODY) && is_whole}>
      {(is_tried) => (
        <>
          <TextInput
            label="Text above the cards"
            value={body_text}
            onChange={setBody}
            most={BODY}
            lines={2}
            error={is_tried ? problemOf(body_text, BODY) : undefined}
          />
          {cards.map((card, at) => (
            <fieldset key={at}>
              <legend>Card {at + 1}</legend>
              <FileInput
                label="Picture"
                accept="image/jpeg,image/png"
                compose={props.compose}
                api={props.project.api}
                value={card.file}
                onChange={(file) => change(at, { file })}
                error={is_tried && !card.file ? 'Choose a picture.' : undefined}
              />
              <TextInput label="Text" value={card.text} most={CARD_TEXT} onChange={(text) => change(at, { text })} />
              <div class="form-row">
                <TextInput
                  label="Button"
                  value={card.button}
                  most={TITLE}
                  onChange={(button) => change(at, { button })}
                  error={is_tried ? problemOf(card.button, TITLE) : undefined}
                />
                <TextInput
                  label="Address"
                  type="url"
                  placeholder="https://"
                  value={card.url}
                  onChange={(url) => change(at, { url })}
                  error={is_tried && !isLink(card.url) ? 'Begin with https://.' : undefined}
                />
              </div>
              {cards.length > FEWEST && (
                <button type="button" class="link" onClick={() => setCards(cards.filter((_, place) => place !== at))}>
                  Remove the card
                </button>
              )}
            </fieldset>
          ))}
          {cards.length < MAX && (
            <button type="button" class="link" onClick={() => setCards([...cards, EMPTY])}>
              Add a card
            </button>
          )}
        </>
      )}
    </FormDialog>
  )
}

function isLink(text: string) {
  return /^https?:\/\/\S+$/.test(text.trim()) && URL.canParse(text.trim())
}
