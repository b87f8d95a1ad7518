"""Analysis of the link: BER, SNR and MTTFPA of codes and PCS formats (D 5.2.1)."""
