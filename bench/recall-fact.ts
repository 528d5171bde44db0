/** One thing that was said once, a question that shares its words, and one that asks for it in other words. */
export type Fact = {
  said: string;
  answered: string;
  closing: string;
  direct: string;
  exact?: true;
  paraphrased: string;
};

export const fact = (said: string, answered: string, closing: string, direct: string, paraphrased: string): Fact => ({
  said,
  answered,
  closing,
  direct,
  paraphrased,
});

/** The direct question turns on a name, a number or a code. */
export const exactly = (...parts: Parameters<typeof fact>): Fact => ({ ...fact(...parts), exact: true });
