// Copying text that has to be fetched first. The promise goes to the clipboard at once, within the click,
// because a page may write to the clipboard only then.

export async function copyLater(text: Promise<string>): Promise<void> {
  const blob = text.then((value) => new Blob([value], { type: "text/plain" }));
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}
