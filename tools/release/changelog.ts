// Cuts the notes of a version out of the changelog.

/** The section of `name`, a version or "Unreleased", without its heading; undefined if there is none or it is empty. */
export function notesOf(changelog: string, name: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((one) => one.startsWith(`[${name}]`));
  if (section === undefined) return undefined;
  const [heading = "", ...lines] = section.split("\n");
  // A release has a date; what is not released has none.
  if (name !== "Unreleased" && !/^\[[^\]]+\] - \d{4}-\d{2}-\d{2}$/.test(heading)) return undefined;
  const notes = lines.join("\n").trim();
  return notes === "" ? undefined : `${notes}\n`;
}
