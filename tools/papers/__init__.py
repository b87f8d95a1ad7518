"""The comparisons with the papers on a floor: networks of all sizes, their figures, the statements that the papers print."""
