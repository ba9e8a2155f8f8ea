// HTML that cannot be forgotten to be escaped: whatever is put into a template is text, unless it came out of one.

/** A piece of HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template can hold; undefined and false are nothing. */
export type Piece = Html | string | number | undefined | false | readonly Piece[];

/** Template tag: html`<b>${anything}</b>`. Attributes have to stand in quotes. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.reduce((text, string, index) => `${text}${render(pieces[index - 1])}${string}`));
}

function render(piece: Piece): string {
  if (piece === undefined || piece === false) return "";
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(render).join("");
  return String(piece).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
