/** Asks until `is` holds of the answer, and gives the answer. The message of the failure shows the last one. */
export async function eventually<Answer>(ask: () => Promise<Answer>, is: (answer: Answer) => boolean, patience = 30_000): Promise<Answer> {
  const end = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (is(answer)) return answer;
    if (Date.now() > end) throw new Error(`it never came so; the last answer was ${JSON.stringify(answer)}`);
    await new Promise((again) => setTimeout(again, 20));
  }
}
