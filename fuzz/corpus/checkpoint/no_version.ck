specreg checkpoint 
